'use strict';
(() => {
  const root = document.documentElement, all = (query, from = document) => [...from.querySelectorAll(query)];
  const one = id => document.getElementById(id);
  root.classList.add('js');

  // Light or dark: what the system says until the button says otherwise.
  const dark = matchMedia('(prefers-color-scheme: dark)'), button = one('theme');
  const stored = () => { try { return localStorage.getItem('inplace-lint-theme'); } catch { return null; } };
  const isDark = () => (root.dataset.theme || (dark.matches ? 'dark' : 'light')) === 'dark';
  const label = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
  const turn = () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('inplace-lint-theme', root.dataset.theme); } catch { /* a page of its own */ }
    label();
  };
  if (stored()) root.dataset.theme = stored();
  button.hidden = false;
  button.onclick = turn;
  dark.addEventListener('change', label);
  label();

  const keys = one('keys'), findings = all('.finding'), chips = all('.chip'), search = one('q');
  one('keys-button').hidden = false;
  one('keys-button').onclick = () => keys.showModal();

  // The filters are in the fragment: a link to the page as it is shown. Values of one kind add, kinds restrict.
  const known = ['severity', 'rule', 'file', 'q'];
  const parsed = () => {
    const given = location.hash.includes('=') ? new URLSearchParams(location.hash.slice(1)) : new URLSearchParams();
    return Object.fromEntries(known.map(kind => [kind, given.getAll(kind)]));
  };
  const texts = new Map(findings.map(each => [each, (each.querySelector('summary').textContent + ' ' + each.dataset.file
    + ' ' + (each.querySelector('.story')?.textContent || '')).toLowerCase()]));
  const fits = (each, wanted) =>
    (!wanted.severity.length || wanted.severity.includes(each.dataset.severity))
    && (!wanted.rule.length || wanted.rule.includes(each.dataset.code))
    && (!wanted.file.length || wanted.file.includes(each.dataset.file))
    && wanted.q.every(words => texts.get(each).includes(words.toLowerCase()));
  const show = () => {
    const wanted = parsed(), filtered = known.some(kind => wanted[kind].length);
    let count = 0;
    for (const each of findings) { each.hidden = !fits(each, wanted); count += !each.hidden; }
    for (const each of all('.file')) each.hidden = !each.querySelector('.finding:not([hidden])');
    for (const chip of chips) chip.setAttribute('aria-pressed', wanted[chip.dataset.kind].includes(chip.dataset.value));
    if (search) {
      if (document.activeElement !== search) search.value = wanted.q.join(' ');
      one('shown').textContent = filtered ? `${count} of ${findings.length} shown` : '';
      one('clear').hidden = !filtered;
    }
    if (!filtered && location.hash) unfold(one(decodeURIComponent(location.hash.slice(1))));
  };
  const unfold = target => {
    for (let each = target; each; each = each.parentElement) if (each.tagName === 'DETAILS') each.open = true;
    if (target) target.scrollIntoView({ block: 'nearest' });
  };
  const ask = wanted => {
    const made = new URLSearchParams();
    for (const kind of known) for (const value of wanted[kind]) made.append(kind, value);
    history.replaceState(null, '', made.size ? '#' + made : location.pathname + location.search);
    show();
  };
  for (const chip of chips) chip.onclick = () => {
    const wanted = parsed(), { kind, value } = chip.dataset, some = wanted[kind];
    wanted[kind] = some.includes(value) ? some.filter(each => each !== value) : [...some, value];
    ask(wanted);
  };
  const clear = () => { if (search) search.value = ''; ask({ severity: [], rule: [], file: [], q: [] }); };
  if (search) {
    search.oninput = () => ask({ ...parsed(), q: search.value.trim() ? [search.value.trim()] : [] });
    one('clear').onclick = clear;
  }
  addEventListener('hashchange', show);
  show();

  // The text of a rule comes to the finding that asks for it.
  for (const link of all('.about')) link.onclick = event => {
    const text = document.querySelector(`${CSS.escape ? '#' + CSS.escape(link.hash.slice(1)) : link.hash} > div`);
    if (!text) return;
    event.preventDefault();
    const shown = link.parentElement.nextElementSibling;
    if (shown) { shown.remove(); link.setAttribute('aria-expanded', 'false'); return; }
    const copy = document.createElement('div');
    copy.className = 'inline-rule rule';
    copy.append(...[...text.cloneNode(true).childNodes]);
    link.parentElement.after(copy);
    link.setAttribute('aria-expanded', 'true');
  };

  let current = null;
  const move = by => {
    const shown = findings.filter(each => !each.hidden);
    if (!shown.length) return;
    const at = shown.indexOf(current);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + by))];
    if (current) current.classList.remove('current');
    current = next;
    current.classList.add('current');
    current.querySelector('summary').focus({ preventScroll: true });
    current.scrollIntoView({ block: 'start' });
  };
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
    if (event.target.matches('input, textarea, select')) {
      if (event.key === 'Escape') { event.target.blur(); clear(); }
      return;
    }
    const done = { j: () => move(1), k: () => move(-1), t: turn, '?': () => keys.showModal(), Escape: clear,
      '/': () => search && search.focus() }[event.key];
    if (done) { event.preventDefault(); done(); }
  });
  addEventListener('beforeprint', () => findings.forEach(each => { each.open = true; }));
})();
