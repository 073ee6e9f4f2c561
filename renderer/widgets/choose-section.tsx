/** The button inside an input for a path that opens a file dialog; a browser has no such dialog. */
import { Button } from '@mantine/core';

export function chooseSection(choose: (() => Promise<void>) | undefined) {
  if (choose === undefined) return {};
  return {
    rightSectionWidth: 78,
    rightSection: (
      <Button size="compact-xs" variant="default" onClick={() => void choose()}>
        Choose…
      </Button>
    ),
  };
}
