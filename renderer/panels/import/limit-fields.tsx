/** Limits on reading evidence that may be an archive bomb, or a very large archive. */
import { Checkbox, NumberInput } from '@mantine/core';
import type { Params } from '../../../engine/contract/operations.ts';
import form from '../../widgets/inputs/form.module.css';

export type Limits = NonNullable<Params<'import.start'>['limits']>;

const GB = 2 ** 30;
/** The field of the limits, and its label. */
const FIELDS = [
  {
    name: 'maxRatio',
    label: 'Largest expansion (bytes per compressed byte)',
    usual: '1,000',
    unit: 1,
  },
  { name: 'maxBytes', label: 'Largest file, unpacked (GB)', usual: '16,384', unit: GB },
  { name: 'maxDepth', label: 'Nesting of archives', usual: '4', unit: 1, most: 100 },
  { name: 'maxMembers', label: 'Files in one archive', usual: '1,000,000', unit: 1 },
] as const;

export function LimitFields({
  limits,
  onLimits,
}: {
  readonly limits: Limits;
  readonly onLimits: (limits: Limits) => void;
}) {
  return (
    <details>
      <summary className={form['muted']}>Limits for archives and compressed files</summary>
      <div className={form['stack']}>
        <div className={form['row']}>
          {FIELDS.map(({ name, label, usual, unit, ...more }) => {
            const value = limits[name];
            return (
              <NumberInput
                key={name}
                label={label}
                placeholder={usual}
                w={225}
                min={1}
                max={'most' in more ? more.most : Number.MAX_SAFE_INTEGER / unit}
                allowDecimal={false}
                clampBehavior="strict"
                hideControls
                thousandSeparator=","
                value={value === undefined ? '' : value / unit}
                onChange={(next) => {
                  const { [name]: _, ...others } = limits;
                  onLimits(typeof next === 'number' ? { ...others, [name]: next * unit } : others);
                }}
              />
            );
          })}
        </div>
        <Checkbox
          label="Also import data that fails its checksum (its events may be wrong)"
          checked={limits.unchecked === true}
          onChange={({ currentTarget }) => {
            const { unchecked: _, ...others } = limits;
            onLimits(currentTarget.checked ? { ...others, unchecked: true } : others);
          }}
        />
      </div>
    </details>
  );
}
