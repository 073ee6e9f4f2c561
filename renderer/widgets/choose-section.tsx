/** The button within an input of a path that lets people choose it; a browser has no such dialog. */
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
