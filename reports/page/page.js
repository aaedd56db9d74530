(function () {
  'use strict';
  var root = document.documentElement;

  function make(tag, attributes, text) {
    var element = document.createElement(tag);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text) { element.textContent = text; }
    return element;
  }

  /* Light and dark: the system's choice until the button was pressed. Pages opened from a file may
     have no storage. */
  function scheme() {
    var system = window.matchMedia('(prefers-color-scheme: dark)');
    var header = document.querySelector('.page > header');
    var button = make('button', { type: 'button', class: 'scheme' });
    try { root.dataset.scheme = localStorage.getItem('gpubench-scheme') || ''; } catch (ignored) { }
    function dark() {
      return root.dataset.scheme ? root.dataset.scheme === 'dark' : system.matches;
    }
    function show() { button.textContent = dark() ? 'Light colours' : 'Dark colours'; }
    button.addEventListener('click', function () {
      root.dataset.scheme = dark() ? 'light' : 'dark';
      try { localStorage.setItem('gpubench-scheme', root.dataset.scheme); } catch (ignored) { }
      show();
    });
    system.addEventListener('change', show);
    show();
    if (header) { header.appendChild(button); }
  }

  function key(row, column, number) {
    var cell = row.cells[column];
    if (!cell) { return number ? NaN : ''; }
    return number ? parseFloat(cell.dataset.v) : cell.textContent.trim();
  }

  /* What has no value stays last in both directions; equal rows keep their order. */
  function sort(table, column, number, down) {
    var body = table.tBodies[0];
    var rows = Array.prototype.map.call(body.rows, function (row, place) {
      return { row: row, key: key(row, column, number), place: place };
    });
    rows.sort(function (a, b) {
      var order;
      if (number) {
        if (isNaN(a.key) || isNaN(b.key)) {
          order = (isNaN(a.key) ? 1 : 0) - (isNaN(b.key) ? 1 : 0);
          return order || a.place - b.place;
        }
        order = a.key - b.key;
      } else {
        if (!a.key || !b.key) { return (a.key ? 0 : 1) - (b.key ? 0 : 1) || a.place - b.place; }
        order = a.key.localeCompare(b.key, undefined, { numeric: true });
      }
      return (down ? -order : order) || a.place - b.place;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
  }

  function sortable(table) {
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var button = make('button', { type: 'button' }, head.textContent);
      head.textContent = '';
      head.appendChild(button);
      head.setAttribute('aria-sort', 'none');
      button.addEventListener('click', function () {
        var down = head.getAttribute('aria-sort') === 'ascending';
        heads.forEach(function (other) { other.setAttribute('aria-sort', 'none'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        sort(table, column, head.classList.contains('num'), down);
      });
    });
  }

  /* Every word must stand somewhere in the row. */
  function filter(holder, table) {
    var tools = make('div', { class: 'tools' });
    var label = make('label', {}, 'Filter');
    var input = make('input', { type: 'search', placeholder: 'words', autocomplete: 'off' });
    var status = make('span', { role: 'status' });
    label.appendChild(input);
    tools.appendChild(label);
    tools.appendChild(status);
    holder.insertBefore(tools, holder.firstChild);
    input.setAttribute('aria-label', 'Filter rows: ' + (table.caption ? table.caption.textContent : 'table'));
    input.addEventListener('input', function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        var text = Array.prototype.map.call(row.cells, function (cell) {
          return cell.textContent;
        }).join(' ').toLowerCase();
        var match = words.every(function (word) { return text.indexOf(word) >= 0; });
        row.hidden = !match;
        shown += match ? 1 : 0;
      });
      status.textContent = words.length ? shown + ' of ' + table.tBodies[0].rows.length + ' rows' : '';
    });
  }

  scheme();
  Array.prototype.forEach.call(document.querySelectorAll('.table'), function (holder) {
    var table = holder.querySelector('table');
    if (!table || !table.tHead || !table.tBodies.length) { return; }
    if (table.tBodies[0].rows.length > 1) { sortable(table); }
    if (table.tBodies[0].rows.length > 4) { filter(holder, table); }
  });

  /* Paper shows what is folded on the screen. */
  window.addEventListener('beforeprint', function () {
    Array.prototype.forEach.call(document.querySelectorAll('details:not([open])'), function (part) {
      part.dataset.folded = '';
      part.open = true;
    });
  });
  window.addEventListener('afterprint', function () {
    Array.prototype.forEach.call(document.querySelectorAll('details[data-folded]'), function (part) {
      part.open = false;
      delete part.dataset.folded;
    });
  });
}());
