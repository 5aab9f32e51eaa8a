// A consent was taken back: the vendors' known cookies go, and the visitor is offered what stops
// the scripts that already run. Loaded at that moment, given `{sdk, port, published, gone}`.

const { sdk, port, published, gone } = document.currentScript.placet;
const [, project, , name] = port.payload.split('\n', 1)[0].split('\t');

const wipe = (cookies) => {
  const patterns = gone.flatMap((vendor) => cookies[vendor] || []);
  const known = (name) =>
    patterns.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name == one));
  // A cookie goes only if domain and path are those that it was set with, which nobody can read.
  const labels = location.hostname.split('.');
  const domains = ['', ...labels.map((_, at) => ';domain=' + labels.slice(at).join('.'))];
  const folders = location.pathname.split('/');
  const paths = folders.flatMap((_, at) => {
    const path = folders.slice(0, at + 1).join('/');
    return [path, path + '/'];
  });
  for (const pair of document.cookie.split('; ')) {
    const name = pair.split('=')[0];
    if (known(name))
      for (const domain of domains)
        for (const path of paths) document.cookie = name + '=;max-age=0' + domain + ';path=' + path;
  }
};

const make = (name, parent, part, content, style) => {
  const element = document.createElement(name);
  element.className = style;
  element.part = part;
  element.textContent = content;
  parent.append(element);
  return element;
};

const offer = ({ text, reload, close }) => {
  document.getElementById('placet-changed')?.remove();
  const host = document.createElement('div');
  host.id = 'placet-changed';
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = port.root.adoptedStyleSheets;
  const note = make('div', root, 'changed', '', 'w card bottom');
  document.body.append(host);
  note.role = 'status';
  // What is put into a status after it is there is read out.
  const page = make('div', note, '', '', 'p');
  make('p', page, '', text, 'h');
  const buttons = make('div', make('div', page, 'actions', '', 'f'), '', '', 'y');
  make('button', buttons, 'dismiss', close, 'b t').onclick = () => host.remove();
  make('button', buttons, 'reload', reload, 'b').onclick = () => location.reload();
  sdk.on('open', () => host.remove(), { replay: false });
};

fetch(published + '/' + project + '/' + encodeURIComponent(name) + '.later.json')
  .then((answer) => answer.json())
  .then((later) => {
    wipe(later.cookies);
    offer(later);
  })
  .catch((why) => console.error('Placet: the cookies of ' + gone + ' were not taken away (' + why + ').'));
