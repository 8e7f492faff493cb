// Long lists a page at a time, and tables of them.

const PAGE = 100;
const PRINTED = 500;

/** Shows a slice of rows; whoever owns it renders them. */
class Pager {
  /** @param {string} noun what a row is; @param {function} render takes rows and index of first */
  constructor(noun, render) {
    this.noun = noun;
    this.render = render;
    this.rows = [];
    this.page = 0;
    this.extent = make('span', {class: 'extent'});
    this.back = make('button', {type: 'button', onclick: () => this.show(this.page - 1)}, 'Previous');
    this.next = make('button', {type: 'button', onclick: () => this.show(this.page + 1)}, 'Next');
    this.bar = make('div', {class: 'pager', role: 'group', 'aria-label': 'Pages of ' + noun + 's'},
        this.extent, this.back, this.next);
  }

  set(rows) {
    this.rows = rows;
    this.show(0);
  }

  pages() {
    return Math.max(1, Math.ceil(this.rows.length / PAGE));
  }

  show(page) {
    this.page = Math.min(Math.max(page, 0), this.pages() - 1);
    const first = this.page * PAGE;
    this.showRows(first, Math.min(first + PAGE, this.rows.length));
  }

  showRows(first, end) {
    this.render(this.rows.slice(first, end), first);
    const total = this.rows.length;
    this.extent.textContent = total <= end - first ? count(total, this.noun)
        : number(first + 1) + '–' + number(end) + ' of ' + count(total, this.noun);
    this.back.disabled = first === 0;
    this.next.disabled = end >= total;
    this.bar.classList.toggle('single', total <= PAGE);
  }

  /** Paper has no buttons: all rows, up to what anybody reads on paper. */
  print() {
    this.showRows(0, Math.min(this.rows.length, PRINTED));
  }
}

/**
 * A table of rows; a column is [heading, row → text or node, class]. What `about` says of a row is
 * what can be searched: texts, sets of nodes, and the state that a filter may leave out.
 */
class ListTable {
  constructor(caption, noun, columns, rows, about) {
    this.columns = columns;
    this.all = rows;
    this.about = about;
    this.known = new Map();
    this.body = make('tbody');
    this.pager = new Pager(noun, slice => this.fill(slice));
    const heads = columns.map(([title, , kind]) => make('th', {scope: 'col', class: kind}, title));
    const table = make('table', {class: 'list'},
        make('caption', {class: 'unseen'}, caption), make('thead', {}, make('tr', {}, heads)), this.body);
    this.element = make('div', {},
        make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption}, table),
        this.pager.bar);
  }

  fill(slice) {
    const rows = slice.map(row => make('tr', {},
        this.columns.map(([title, cell, kind]) =>
          make('td', {class: kind, 'data-title': title}, cell(row)))));
    if (rows.length === 0) {
      rows.push(make('tr', {},
          make('td', {class: 'nothing', colspan: this.columns.length},
              this.all.length === 0 ? 'Nothing found.' : 'Nothing matches.')));
    }
    this.body.replaceChildren(...rows);
  }

  filter(words, states) {
    const all = words.length === 0 && states.size === STATES.size;
    this.pager.set(all ? this.all : this.all.filter(row => this.matches(row, words, states)));
    return this.pager.rows.length;
  }

  matches(row, words, states) {
    const {text, nodes, state} = this.searchable(row);
    return (!state || states.has(state))
        && words.every(word => text.includes(word) || nodes.some(set => nodeSetHas(set, word)));
  }

  prepare(row) {
    this.searchable(row).nodes.forEach(knownNodeSet);
  }

  /** Made when first searched for, and kept: every key that is typed asks for it again. */
  searchable(row) {
    let known = this.known.get(row);
    if (!known) {
      const {texts, nodes = [], state} = this.about(row);
      const text = [...texts, ...nodes].filter(Boolean).join('\n').toLowerCase();
      known = {text, nodes: nodes.filter(Boolean), state};
      this.known.set(row, known);
    }
    return known;
  }
}
