/**
 * The order in which an import decides about its items, and the numbers of their sources: those of the list of
 * evidence, whatever the number of workers. Event numbers therefore do not depend on timing, and of equal files the
 * first is stored.
 *
 * An item is decided once its first source has its number, or it turns out to have none. Later members of an
 * archive arrive while other items are read: a range of numbers is reserved for them.
 */
/** Numbers up to the next multiple of this are reserved for the members of an archive. */
const SET_ASIDE = 1000;

interface Waiting {
  readonly index: number;
  readonly answer: (grant: 'turn' | 'flush') => void;
}

export class SourceOrder {
  private readonly indexOf: ReadonlyMap<number, number>;
  private readonly isSettled: boolean[];
  private firstOpen = 0;
  private waiting: Waiting[] = [];
  private nextNumber: number;
  private readonly aside = new Map<number, { next: number; end: number }>();

  /**
   * @param ordinals of the items, in order
   * @param firstNumber lowest unused source number
   */
  constructor(ordinals: readonly number[], firstNumber: number) {
    this.indexOf = new Map(ordinals.map((ordinal, index) => [ordinal, index]));
    this.isSettled = ordinals.map(() => false);
    this.nextNumber = firstNumber;
  }

  /**
   * Undefined if all items before `ordinal` are decided; otherwise resolves when they are, or when the caller
   * should flush because another worker waits for its rows.
   */
  turn(ordinal: number): Promise<'turn' | 'flush'> | undefined {
    const index = this.indexOf.get(ordinal) ?? 0;
    if (index <= this.firstOpen) return undefined;
    return new Promise((answer) => {
      this.waiting.push({ index, answer });
    });
  }

  settled(ordinal: number): void {
    const index = this.indexOf.get(ordinal);
    if (index === undefined) return;
    this.isSettled[index] = true;
    while (this.isSettled[this.firstOpen] === true) this.firstOpen += 1;
    const { waiting } = this;
    this.waiting = waiting.filter((one) => one.index > this.firstOpen);
    for (const one of waiting) if (one.index <= this.firstOpen) one.answer('turn');
  }

  /** Makes waiting callers flush. */
  hurry(): void {
    for (const { answer } of this.waiting.splice(0)) answer('flush');
  }

  /** The number of the next source of an item. */
  number(ordinal: number, isMember: boolean): number {
    if (!isMember) return this.nextNumber++;
    let aside = this.aside.get(ordinal);
    if (aside === undefined || aside.next === aside.end) {
      const next = this.nextNumber;
      // The same end if an interrupted import is resumed within the archive.
      const end = Math.ceil(next / SET_ASIDE) * SET_ASIDE + 1;
      aside = { next, end };
      this.nextNumber = end;
      this.aside.set(ordinal, aside);
    }
    return aside.next++;
  }
}
