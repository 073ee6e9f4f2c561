/**
 * The order in which an import decides about its items, and the numbers that their sources get: those of
 * the list of evidence, however many workers read. So the number of an event does not depend on that,
 * and of equal files the first is the one that is stored.
 *
 * An item is decided on once its first source has its number, or there is none in it. Of an archive the
 * members come later, while others are read: they have numbers of their own put aside.
 */
/** Numbers up to the next multiple of this are put aside for the members of an archive. */
const SET_ASIDE = 1000;

interface Waiting {
  readonly index: number;
  readonly answer: (what: 'turn' | 'flush') => void;
}

export class SourceOrder {
  private readonly indexOf: ReadonlyMap<number, number>;
  private readonly isSettled: boolean[];
  private firstOpen = 0;
  private waiting: Waiting[] = [];
  private nextNumber: number;
  private readonly aside = new Map<number, { next: number; end: number }>();

  /**
   * @param ordinals of the items, in their order
   * @param firstNumber no source has it or a higher one
   */
  constructor(ordinals: readonly number[], firstNumber: number) {
    this.indexOf = new Map(ordinals.map((ordinal, index) => [ordinal, index]));
    this.isSettled = ordinals.map(() => false);
    this.nextNumber = firstNumber;
  }

  /**
   * Undefined when all items before `ordinal` are decided on; else done when they are, or when whoever
   * waits is to hand over what it has, since another waits for that.
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

  /** Whoever waits is to hand over what it has. */
  hurry(): void {
    for (const { answer } of this.waiting.splice(0)) answer('flush');
  }

  /** The number of the next source of an item. */
  number(ordinal: number, isMember: boolean): number {
    if (!isMember) return this.nextNumber++;
    let aside = this.aside.get(ordinal);
    if (aside === undefined || aside.next === aside.end) {
      const next = this.nextNumber;
      // The same end where an import goes on that was interrupted within the archive.
      const end = Math.ceil(next / SET_ASIDE) * SET_ASIDE + 1;
      aside = { next, end };
      this.nextNumber = end;
      this.aside.set(ordinal, aside);
    }
    return aside.next++;
  }
}
