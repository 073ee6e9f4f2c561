/**
 * Values of the truth of fields that contradict another truth, or what the product documents: each kind with its reason,
 * which docs/fields.md repeats. They are counted apart, never as right.
 */
interface Doubt {
  /** Beginnings of the paths of the evidence. */
  readonly paths: readonly string[];
  readonly fields: readonly string[];
  /** Whether the value is one of this kind. */
  readonly holds: (value: string, found: string | undefined, line: string) => boolean;
  readonly why: string;
}

const M365 = ['cloud/elastic/o365/', 'cloud/beats/o365/'];

/** Whether an account is found with the mail domain that another parser cuts off. */
function isWithDomain(value: string, found: string | undefined): boolean {
  return found?.toLowerCase().startsWith(`${value.toLowerCase()}@`) === true;
}

export const DOUBTS: readonly Doubt[] = [
  {
    paths: ['device/beats/cisco/'],
    fields: ['src_ip', 'src_port', 'dst_ip', 'dst_port'],
    holds: (_value, _found, line) => /-30201[35]: Built outbound/.test(line),
    why: 'Cisco ASA, outbound connections (302013, 302015): the older parser takes the side that is named first for the source, the newer one that which began it, as here.',
  },
  {
    paths: M365,
    fields: ['event_code'],
    holds: (value) => !/^\d+$/.test(value),
    why: "Microsoft 365: the record states a number as its `RecordType`; Elastic's parsers put a name in its place, the others and Daybook keep the number.",
  },
  {
    paths: M365,
    fields: ['host'],
    holds: () => true,
    why: "Microsoft 365: Elastic's parsers call the tenant (`OrganizationName`) the host. No host wrote these records.",
  },
  {
    paths: M365,
    fields: ['dst_ip', 'dst_port'],
    holds: (value, _found, line) => line.includes(`(${value})`),
    why: "Microsoft 365: Elastic's parser takes the version of Exchange in `OriginatingServer` for an address.",
  },
  {
    paths: [...M365, 'cloud/elastic/okta/', 'cloud/beats/okta/'],
    fields: ['user'],
    holds: isWithDomain,
    why: "Microsoft 365 and Okta: Elastic's parsers cut the domain off an account (`alice@example.com`), the others and Daybook keep the whole, which tells guests from members.",
  },
  {
    paths: ['device/beats/sophos/'],
    fields: ['event_code'],
    holds: (value) => value.length === 12,
    why: 'Sophos Firewall: of `log_id`, 12 digits, the last five are the message; the older parser takes the whole, which holds severity and component, too.',
  },
];
