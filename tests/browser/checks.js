/* What is looked at inside a page. Each check returns sentences about what is wrong, and how much it
   looked at, so that a check that saw nothing is noticed. */
const checks = (() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const known = new Map();

  /* Any CSS colour as [r, g, b, a], 0..255 and 0..1. */
  function rgba(text) {
    if (!known.has(text)) {
      const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
      let value;
      if (plain) {
        value = [+plain[1], +plain[2], +plain[3], plain[4] === undefined ? 1 : +plain[4]];
      } else {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = text;
        canvas.fillRect(0, 0, 1, 1);
        const d = canvas.getImageData(0, 0, 1, 1).data;
        value = [d[0], d[1], d[2], d[3] / 255];
      }
      known.set(text, value);
    }
    return known.get(text);
  }

  const over = (top, ground) => [0, 1, 2].map((i) => top[i] * top[3] + ground[i] * (1 - top[3])).concat(1);

  /* WCAG 2.2, relative luminance and contrast ratio. */
  function luminance(c) {
    const [r, g, b] = c.map((v) => {
      const s = v / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function ratio(a, b) {
    const x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }

  const grounds = new Map();
  /* What lies behind an element: the colours of its HTML ancestors, one over the other. */
  function ground(element) {
    if (!element) {
      const scheme = getComputedStyle(document.documentElement).colorScheme;
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      return /dark/.test(scheme) && (dark || !/light/.test(scheme)) ? [18, 18, 18, 1] : [255, 255, 255, 1];
    }
    if (!grounds.has(element)) {
      const behind = ground(element.parentElement);
      const own = element instanceof SVGElement ? [0, 0, 0, 0] : rgba(getComputedStyle(element).backgroundColor);
      grounds.set(element, over(own, behind));
    }
    return grounds.get(element);
  }

  const opacities = new Map();
  function opacity(element) {
    if (!element) { return 1; }
    if (!opacities.has(element)) {
      opacities.set(element, +getComputedStyle(element).opacity * opacity(element.parentElement));
    }
    return opacities.get(element);
  }

  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true,
    contentVisibilityAuto: true });

  function where(element) {
    const parts = [];
    for (let e = element; e && e !== document.body && parts.length < 4; e = e.parentElement) {
      parts.unshift(e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') +
        (e.getAttribute('class') ? '.' + e.getAttribute('class').split(' ').join('.') : ''));
    }
    return parts.join(' > ');
  }

  const CONTROLS = 'button, input, select, textarea, label, nav, [role="status"], .skip, script, style, noscript, template, title, desc';

  function texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const out = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const e = node.parentElement;
      if (node.data.trim() && !e.closest('script, style, noscript, template, title, desc')) { out.push(node); }
    }
    return out;
  }

  const brief = (list) => [...new Set(list)].slice(0, 12);

  function contrast() {
    const problems = [];
    let looked = 0;
    grounds.clear();
    opacities.clear();
    function look(element, colour, text, least) {
      looked++;
      const behind = ground(element);
      const c = rgba(colour);
      const value = ratio(over([c[0], c[1], c[2], c[3] * opacity(element)], behind), behind);
      if (!(value >= least)) {
        problems.push(`contrast ${value.toFixed(2)} (least ${least}): "${text.trim().slice(0, 40)}" at ${where(element)}`);
      }
    }
    for (const node of texts()) {
      const e = node.parentElement;
      if (!visible(e)) { continue; }
      const style = getComputedStyle(e);
      look(e, e instanceof SVGElement ? style.fill : style.color, node.data, 4.5);
    }
    const kinds = new Set(); /* elements of one kind have the same style */
    for (const e of document.querySelectorAll('body *:not(svg *)')) {
      const kind = where(e) + e.getAttribute('aria-sort');
      if (kinds.has(kind)) { continue; }
      kinds.add(kind);
      for (const part of ['::before', '::after']) {
        const style = getComputedStyle(e, part);
        if (!['none', 'normal', '""'].includes(style.content) && visible(e)) {
          look(e, style.color, part + ' ' + style.content, 3);
        }
      }
    }
    for (const e of document.querySelectorAll('input[placeholder]')) {
      if (visible(e)) { look(e, getComputedStyle(e, '::placeholder').color, 'placeholder', 4.5); }
    }
    return { problems: brief(problems), looked };
  }

  /* Coloured shapes of pictures carry data; grey ones are grids and axes. */
  function dataColours() {
    const problems = [], colours = new Set();
    grounds.clear();
    opacities.clear();
    for (const e of document.querySelectorAll('svg path, svg circle, svg rect, svg line, svg polygon, svg polyline, svg use')) {
      const style = getComputedStyle(e);
      if (!visible(e)) { continue; }
      for (const kind of ['stroke', 'fill']) {
        const c = style[kind] === 'none' ? null : rgba(style[kind]);
        const alpha = c ? c[3] * style[kind + 'Opacity'] * opacity(e) : 0;
        if (!c || Math.max(c[0], c[1], c[2]) - Math.min(c[0], c[1], c[2]) < 40 || alpha < 0.6) { continue; }
        const behind = ground(e), value = ratio(over([c[0], c[1], c[2], alpha], behind), behind);
        colours.add(style[kind]);
        if (value < 3) { problems.push(`data colour ${style[kind]} has contrast ${value.toFixed(2)} (least 3)`); }
      }
    }
    return { problems: brief(problems), looked: colours.size };
  }

  function structure() {
    const problems = [], ids = new Map();
    for (const e of document.querySelectorAll('[id]')) { ids.set(e.id, (ids.get(e.id) || 0) + 1); }
    for (const [id, n] of ids) { if (n > 1) { problems.push(`id "${id}" is there ${n} times`); } }
    for (const e of document.querySelectorAll('img')) {
      if (!e.hasAttribute('alt')) { problems.push('img without alt: ' + where(e)); }
    }
    const named = (e) => (e.getAttribute('aria-label') || '').trim() ||
      (e.getAttribute('aria-labelledby') || '').split(/\s+/).some((id) => id && (document.getElementById(id) || {}).textContent) ||
      (e.querySelector(':scope > title') || {}).textContent;
    for (const e of document.querySelectorAll('svg')) {
      if (e.getAttribute('aria-hidden') !== 'true' && !(e.getAttribute('role') === 'img' && named(e))) {
        problems.push('svg without role="img" and a text: ' + where(e));
      }
    }
    /* A name says which picture it is; what it shows takes a sentence with a figure. */
    for (const e of document.querySelectorAll('figure svg')) {
      const text = (e.querySelector(':scope > desc') || {}).textContent || '';
      if (text.length < 40 || !/\d/.test(text)) { problems.push('picture that is not described: ' + where(e)); }
    }
    for (const e of document.querySelectorAll('button, input, select, a[href]')) {
      const text = e.textContent.trim() || named(e) || (e.labels && e.labels.length);
      if (!text) { problems.push('control without a name: ' + where(e)); }
    }
    let level = 0;
    const headings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')];
    for (const h of headings) {
      const now = +h.tagName[1];
      if (now > level + 1) { problems.push(`heading h${now} after h${level}: ${h.textContent.slice(0, 40)}`); }
      level = now;
    }
    if (document.querySelectorAll('h1').length !== 1) { problems.push('not exactly one h1'); }
    if (!document.documentElement.lang) { problems.push('html without lang'); }
    if (!document.title.trim()) { problems.push('no title'); }
    for (const t of document.querySelectorAll('table')) {
      if (!t.caption && !named(t)) { problems.push('table without caption: ' + where(t)); }
      const n = t.tHead ? t.tHead.rows[0].cells.length : 0;
      for (const row of t.tBodies[0].rows) {
        if (row.cells.length !== n) { problems.push(`a row has ${row.cells.length} cells, the head ${n}: ${where(t)}`); }
      }
    }
    for (const a of document.querySelectorAll('a[href^="#"]')) {
      if (!document.getElementById(decodeURIComponent(a.getAttribute('href').slice(1)))) {
        problems.push('link to nowhere: ' + a.getAttribute('href'));
      }
    }
    /* Handlers come from names that were not escaped; pages set theirs in the script. */
    for (const e of document.querySelectorAll('*')) {
      for (const a of e.attributes) {
        if (/^on/.test(a.name) || /^\s*javascript:/i.test(a.value)) { problems.push(`attribute ${a.name} at ${where(e)}`); }
      }
    }
    if (window.__xss !== undefined) { problems.push('a name ran as a script: ' + window.__xss); }
    return { problems: brief(problems), looked: headings.length };
  }

  function overflow() {
    const wide = document.scrollingElement.scrollWidth, room = innerWidth;
    if (wide <= room) { return { problems: [], looked: 1 }; }
    const out = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > room + 1 &&
      !e.parentElement.closest('.scroll, pre')).map(where);
    return { problems: [`${wide} px wide in ${room}: ${brief(out).slice(0, 4).join('; ')}`], looked: 1 };
  }

  /* What a page begins with is to be seen at once: no table of its first section scrolls. */
  function firstTables() {
    const problems = [], tables = [...document.querySelectorAll('section:first-of-type .scroll > table')];
    for (const t of tables) {
      const wide = Math.ceil(t.getBoundingClientRect().width), room = t.parentElement.clientWidth;
      if (wide > room) { problems.push(`a table of the first section is ${wide} px wide in ${room}`); }
    }
    return { problems, looked: tables.length };
  }

  const FACTORS = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9, '%': 0.01, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3,
    TiB: 1024 ** 4, k: 1e3, M: 1e6, G: 1e9, T: 1e12, '': 1 };
  /* The value that a reader sees in "4.29 TB/s", and half of its last digit; null: no such text. */
  function shown(text) {
    const m = /^([-+]?\d+(?:\.(\d+))?(?:e[-+]?\d+)?) ?(%|[a-zA-Zµ]*)(\/[a-z]+)?$/.exec(text);
    if (!m) { return null; }
    const rate = /^([kMGT]?)(B|FLOP|)$/.exec(m[3]);
    const factor = rate && (m[4] || m[3] === '') ? FACTORS[rate[1]] : FACTORS[m[3]];
    return factor === undefined ? null
      : { value: +m[1] * factor, half: 0.5001 * 10 ** -(m[2] || '').length * factor };
  }

  /* Of a text that is no single figure ("20 to 40") the key alone says where it belongs. */
  function figure(cell) {
    const key = parseFloat(cell.dataset.v);
    return shown(cell.textContent.trim()) || (isNaN(key) ? null : { value: key, half: 0 });
  }

  /* Whether text and key of a cell are the same figure (a share may be kept as 0.5 or as 50). */
  function same(seen, key) {
    const away = (k) => Math.abs(seen.value - k) <= seen.half + 1e-9 * Math.abs(k);
    return away(key) || away(key / 100);
  }

  /* Sorts by every column both ways and looks at the order by what a reader sees. */
  function sorting() {
    const problems = [];
    let looked = 0;
    for (const table of document.querySelectorAll('table')) {
      const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
      const before = [...body.rows];
      if (before.length < 2) { continue; }
      heads.forEach((head, column) => {
        const button = head.querySelector('button');
        const name = head.textContent.trim();
        if (!button) { problems.push(`column "${name}" has no button: ${where(table)}`); return; }
        for (const way of ['ascending', 'descending']) {
          button.click();
          looked++;
          const said = head.getAttribute('aria-sort');
          if (said !== way) { problems.push(`column "${name}": aria-sort is ${said}, not ${way}`); }
          if (heads.some((h) => h !== head && !['none', null].includes(h.getAttribute('aria-sort')))) {
            problems.push(`column "${name}": another column says that it sorts`);
          }
          const cells = [...body.rows].map((row) => row.cells[column]);
          const number = head.classList.contains('num');
          const seen = cells.map((c) => (number ? figure(c) : c.textContent.trim()));
          const sign = way === 'ascending' ? 1 : -1;
          let last = null;
          seen.forEach((value, i) => {
            const text = cells[i].textContent.trim(), key = parseFloat(cells[i].dataset.v);
            if (number && value !== null && !same(value, key)) {
              problems.push(`column "${name}": "${text}" is sorted as ${cells[i].dataset.v}`);
            }
            if (number ? value === null : value === '') { return; }
            if (last !== null) {
              const apart = number ? value.value - last.value : 0, least = number ? value.half + last.half : 0;
              const order = number ? (Math.abs(apart) <= least ? 0 : apart)
                : value.localeCompare(last, undefined, { numeric: true });
              if (order * sign < 0) { problems.push(`column "${name}", ${way}: "${text}" is out of order`); }
            }
            last = value;
          });
          const empty = seen.map((v) => v === null || v === '');
          if (number && empty.indexOf(true) >= 0 && empty.indexOf(true) < empty.lastIndexOf(false)) {
            problems.push(`column "${name}", ${way}: an empty cell before a figure`);
          }
          if (body.rows.length !== before.length || before.some((row) => row.parentElement !== body)) {
            problems.push(`column "${name}": sorting lost rows`);
          }
        }
      });
    }
    return { problems: brief(problems), looked };
  }

  /* Types a word of one row into each filter, and takes it away again. */
  function filtering() {
    const problems = [];
    let looked = 0;
    for (const table of document.querySelectorAll('table')) {
      const holder = table.closest('.table');
      const input = holder && holder.querySelector('input[type="search"]');
      const rows = [...table.tBodies[0].rows];
      if (!input) {
        if (rows.length > 12) { problems.push(`${rows.length} rows and no filter: ${where(table)}`); }
        continue;
      }
      looked++;
      const type = (text) => { input.value = text; input.dispatchEvent(new Event('input', { bubbles: true })); };
      const on = () => rows.filter((r) => r.checkVisibility());
      const all = on().length;
      const row = rows[Math.floor(rows.length / 2)];
      const words = [...row.cells].map((c) => c.textContent.trim()).filter(Boolean).join(' ');
      type(words);
      const left = on();
      if (!left.includes(row)) { problems.push(`filtering by a row's own words hides it: ${where(table)}`); }
      type('no such word anywhere in here');
      if (on().length !== 0) { problems.push(`filtering by what is nowhere leaves rows: ${where(table)}`); }
      type('');
      if (on().length !== all) { problems.push(`an empty filter does not bring the rows back: ${where(table)}`); }
      if (rows.length > 4 && left.length === rows.length && new Set(rows.map((r) => r.textContent)).size > 1) {
        problems.push(`filtering hides nothing: ${where(table)}`);
      }
    }
    return { problems: brief(problems), looked };
  }

  /* Whatever is to be read: [text, whether it is visible]. */
  function readable() {
    return texts().filter((n) => !n.parentElement.closest(CONTROLS))
      .map((n) => [n.data.trim().slice(0, 60), visible(n.parentElement)]);
  }

  function unfold() {
    document.querySelectorAll('details').forEach((d) => { d.open = true; });
  }

  return { contrast, dataColours, structure, overflow, firstTables, sorting, filtering, readable, unfold };
})();
