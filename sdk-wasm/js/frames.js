// An interface of this page, or its stub. An element of that name is neither.
export const found = (name) => (typeof window[name] == 'function' ? window[name] : undefined);

// Frames of other origins find an interface by a frame with its name, and call it by messages, text or object; they
// are answered in the same form.
export const serve = (name) => {
  const mark = () => {
    if (document.querySelector('iframe[name=' + name + 'Locator]')) return;
    if (!document.body) return setTimeout(mark, 5);
    const frame = document.createElement('iframe');
    frame.style.display = 'none';
    frame.name = name + 'Locator';
    document.body.append(frame);
  };
  mark();
  addEventListener('message', ({ data, source }) => {
    let call;
    const isText = typeof data == 'string';
    try {
      call = (isText ? JSON.parse(data) : data)[name + 'Call'];
    } catch {}
    if (!call) return;
    const { command, version, parameter, callId } = call;
    const answer = (returnValue, success) => {
      const message = { [name + 'Return']: { returnValue, success, callId } };
      source.postMessage(isText ? JSON.stringify(message) : message, '*');
    };
    if (name == '__gpp') window[name](command, answer, parameter);
    else window[name](command, version, answer, parameter);
  });
};

// The id of a listener. Frames of other origins can remove listeners too, so they must not guess the ids of others.
export const unguessable = () => crypto.getRandomValues(new Uint32Array(1))[0];

// True if a page around this one has it. Forms and other elements of that name are no frames: a window is its own.
export const isAbove = (name) => {
  for (let above = window; above != top; ) {
    above = above.parent;
    try {
      const frame = above.frames[name + 'Locator'];
      if (frame && frame.window == frame) return true;
    } catch {}
  }
};

// Errors of callers belong to their console.
export const safely = (task) => {
  try {
    task();
  } catch (error) {
    setTimeout(() => { throw error; });
  }
};
