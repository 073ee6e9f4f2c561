/**
 * Drops files on the window. The page gets the same data as from a file manager, as far as a script can provide it:
 * in a browser the files' names and contents, in Electron their paths as well.
 */
import type { Page } from '@playwright/test';

const DROP = `{
  const input = document.getElementById('dropped');
  const transfer = new DataTransfer();
  for (const file of input.files) transfer.items.add(file);
  input.remove();
  const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
  const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2) || document.body;
  for (const type of ['dragenter', 'dragover', 'drop']) {
    target.dispatchEvent(new DragEvent(type, options));
  }
}`;

/**
 * Drops the files and folders at `paths`, as the browser does for a file manager. Electron 9's Chromium does not
 * support this.
 */
export async function dropPaths(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', {
      ...{ type, x: 300, y: 300 },
      data: { items: [], files: [...paths], dragOperationsMask: 1 },
    });
  await drag('dragEnter');
  await drag('dragOver');
  // A drop before the window shows that it accepts it is ignored.
  await page.getByTestId('drop-overlay').waitFor();
  await drag('dragOver');
  await drag('drop');
  await session.detach();
}

/** Drops the files at `paths`. */
export async function dropFiles(page: Page, paths: readonly string[]): Promise<void> {
  // Only an input has files that are those of the disk.
  await page.evaluate(`{
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.id = 'dropped';
    document.body.append(input);
  }`);
  await page.locator('input#dropped').setInputFiles([...paths]);
  await page.evaluate(DROP);
}
