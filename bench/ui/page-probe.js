/**
 * Measures inside the window, put there before its own scripts run. `window.probe` counts timers,
 * writes down what is asked of the engine, when the timeline is painted, and intervals of frames.
 */
(() => {
  const calls = new Map();
  const decoder = new TextDecoder();
  let socket;
  const headOf = (bytes) => {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    return decoder.decode(bytes.subarray(4, 4 + length));
  };
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (socket !== this) {
      socket = this;
      this.addEventListener('message', onMessage);
    }
    const head = headOf(new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0));
    const match = /^\{"frame":"call","id":(\d+),"op":"([^"]+)"/.exec(head);
    if (match !== null)
      calls.set(Number(match[1]), { op: match[2], sent: performance.now(), head, parts: 0 });
    send.call(this, data);
  };
  const onMessage = ({ data }) => {
    const bytes = new Uint8Array(data);
    const start = decoder.decode(bytes.subarray(4, 60));
    const match = /^\{"frame":"(part|done|error)","id":(\d+)/.exec(start);
    const call = match === null ? undefined : calls.get(Number(match[2]));
    if (call === undefined) return;
    call.bytes = (call.bytes ?? 0) + bytes.length;
    if (match[1] === 'part') {
      call.parts += 1;
      call.first ??= performance.now();
      return;
    }
    call.end = performance.now();
    call.outcome = match[1];
    const head = headOf(bytes);
    const total = /"totalMs":([\d.]+)/.exec(head);
    if (total !== null) call.engineMs = Number(total[1]);
    call.answer = call.keep === undefined ? undefined : head;
    call.keep?.(call);
  };

  const paints = [];
  for (const name of ['clearRect', 'fill']) {
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...args) {
      if (this.canvas.closest?.('[aria-label="Timeline"]')) paints.push(performance.now());
      return own.apply(this, args);
    };
  }

  const timeouts = new Set();
  const intervals = new Set();
  const own = {
    setTimeout: window.setTimeout,
    clearTimeout: window.clearTimeout,
    setInterval: window.setInterval,
    clearInterval: window.clearInterval,
  };
  window.setTimeout = (handler, delay, ...args) => {
    const id = own.setTimeout.call(
      window,
      (...given) => {
        timeouts.delete(id);
        handler(...given);
      },
      delay,
      ...args,
    );
    timeouts.add(id);
    return id;
  };
  window.clearTimeout = (id) => {
    timeouts.delete(id);
    own.clearTimeout.call(window, id);
  };
  window.setInterval = (...args) => {
    const id = own.setInterval.apply(window, args);
    intervals.add(id);
    return id;
  };
  window.clearInterval = (id) => {
    intervals.delete(id);
    own.clearInterval.call(window, id);
  };

  let frames;
  const frame = (now) => {
    if (frames === undefined) return;
    frames.push(now);
    requestAnimationFrame(frame);
  };

  const grid = () => document.querySelector('[role="grid"][aria-label="Events"]');
  const seenRows = () => {
    const scroller = grid();
    if (scroller === null) return [];
    const { top, bottom } = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll('[data-row]')].filter((row) => {
      const box = row.getBoundingClientRect();
      return box.bottom > top + 27 && box.top < bottom - 1;
    });
  };
  const whole = (rows) =>
    rows.length > 0 &&
    rows.every((row) => row.ariaBusy !== 'true' && !row.hasAttribute('aria-busy'));
  const rowText = () =>
    seenRows()
      .slice(0, 6)
      .map((row) => row.textContent)
      .join('|');
  /** What stands for the list in the table's place: rows, or that there are none. */
  const listText = () => {
    const panel = grid() ?? document.querySelector('main [role="tabpanel"]');
    return grid() === null ? panel?.textContent : rowText();
  };

  window.probe = {
    paints,
    timers: () => ({ timeouts: timeouts.size, intervals: intervals.size }),
    startFrames() {
      frames = [];
      requestAnimationFrame(frame);
    },
    stopFrames() {
      const taken = frames ?? [];
      frames = undefined;
      return taken.slice(1).map((at, i) => at - taken[i]);
    },
    /** Begins to watch for what a next act changes. */
    watch() {
      calls.clear();
      paints.length = 0;
      const before = listText();
      const state = {
        before,
        begun: performance.now(),
        acted: undefined,
        rows: undefined,
        busyEnd: undefined,
        done: false,
      };
      const act = () => (state.acted ??= performance.now());
      window.addEventListener('keydown', (event) => event.key === 'Enter' && act(), {
        capture: true,
        once: true,
      });
      window.addEventListener('pointerup', act, { capture: true, once: true });
      window.addEventListener('mouseup', act, { capture: true, once: true });
      const look = () => {
        if (state.done) return;
        if (state.acted !== undefined && state.rows === undefined) {
          const text = listText();
          if (
            text !== before &&
            text !== '' &&
            text !== undefined &&
            (grid() === null || whole(seenRows()))
          )
            state.rows = performance.now();
        }
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      window.probe.watched = state;
    },
    /** Lets go of what was written down of calls that have ended. */
    forget() {
      for (const [id, { end }] of calls) if (end !== undefined) calls.delete(id);
      paints.length = 0;
      window.probe.watched = undefined;
    },
    /** Nothing is running and nothing was painted for 300 ms. */
    quiet() {
      const now = performance.now();
      const open = [...calls.values()].some(
        ({ op, end }) => end === undefined && op !== 'case.watch' && op !== 'import.follow',
      );
      const last = Math.max(
        ...[...calls.values()].map(({ end }) => end ?? 0),
        paints.at(-1) ?? 0,
        window.probe.watched?.acted ?? 0,
      );
      return !open && now - last > 300;
    },
    /** Calls that have ended, on the page's own clock. */
    ended: () =>
      [...calls.values()].flatMap(({ op, sent, end }) =>
        end === undefined ? [] : [{ op, sent, end }],
      ),
    outcome() {
      const state = window.probe.watched;
      state.done = true;
      const from = state.acted ?? state.begun;
      const rel = (at) => (at === undefined ? undefined : at - from);
      const list = [...calls.values()].map(
        ({ op, sent, first, end, engineMs, outcome, bytes, head }) => ({
          op,
          sent: rel(sent),
          first: rel(first),
          end: rel(end),
          engineMs,
          outcome,
          bytes,
          field: /"field":"([^"]+)"/.exec(head)?.[1],
        }),
      );
      const timelines = [...calls.values()].filter(
        ({ op, outcome }) => op === 'timeline.run' && outcome === 'done',
      );
      const after = timelines.at(-1)?.end ?? from;
      // The frame in which the canvas got what the last timeline said.
      const paint = paints.filter((at) => at >= after);
      return {
        rows: rel(state.rows),
        timeline:
          timelines.length === 0
            ? undefined
            : rel(
                paint[0] === undefined
                  ? undefined
                  : paint.find((at, i) => (paint[i + 1] ?? Infinity) - at > 8),
              ),
        calls: list,
      };
    },
    /** Milliseconds from the last scroll event until all rows that are seen are there. */
    afterScroll() {
      const from = window.probe.lastScroll;
      return new Promise((resolve) => {
        const look = () => {
          if (whole(seenRows())) resolve(performance.now() - from);
          else if (performance.now() - from > 20_000) resolve(undefined);
          else requestAnimationFrame(look);
        };
        look();
      });
    },
    firstRow: () => Number(seenRows()[0]?.dataset.row ?? -1),
    /** Asks the engine something by the window's own pipe. */
    ask(op, params) {
      return new Promise((resolve) => {
        const id = 1_000_000_000 + Math.floor(Math.random() * 1e9);
        const head = new TextEncoder().encode(JSON.stringify({ frame: 'call', id, op, params }));
        const size = (4 + head.length + 7) & ~7;
        const bytes = new Uint8Array(size).fill(32);
        new DataView(bytes.buffer).setUint32(0, size - 4, true);
        bytes.set(head, 4);
        calls.set(id, {
          op,
          sent: performance.now(),
          head: '',
          parts: 0,
          keep: (call) => {
            calls.delete(id);
            resolve({
              ms: call.end - call.sent,
              firstMs: call.first === undefined ? undefined : call.first - call.sent,
              engineMs: call.engineMs,
              outcome: call.outcome,
              answer: call.answer,
            });
          },
        });
        send.call(socket, bytes);
      });
    },
  };
  document.addEventListener(
    'scroll',
    () => {
      window.probe.lastScroll = performance.now();
    },
    { capture: true, passive: true },
  );
})();
