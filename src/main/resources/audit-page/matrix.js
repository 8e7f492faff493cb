// The heat map: module sets down, kernels across, a verdict in each cell.

const ORDERS = new Map([
  ['alike', ['Same verdicts together', (a, b) => b.worst - a.worst || compare(b.pattern, a.pattern) || b.nodes - a.nodes]],
  ['given', ['Newest kernel first', null]],
  ['worst', ['Worst first', (a, b) => b.worst - a.worst || b.nodes - a.nodes]],
  ['nodes', ['Most nodes first', (a, b) => b.nodes - a.nodes]],
]);

/** With more kernels than this, a cell has room for its sign only. */
const ROOMY = 6;
const STRIDE = 10;

class Matrix {
  constructor(rows, open) {
    this.all = rows;
    this.open = open;
    this.at = {row: 0, column: 0};
    this.body = make('tbody');
    this.table = make('table', {
      class: targets.length > ROOMY ? 'matrix dense' : 'matrix',
      role: 'grid', 'aria-label': 'Verdicts: module sets by kernel',
      'aria-colcount': targets.length + 1,
      onkeydown: event => this.key(event), onclick: event => this.click(event),
      onfocusin: event => this.focused(event),
    }, this.head(), this.body);
    this.pager = new Pager('module set', (slice, first) => this.fill(slice, first));
    this.order = make('select', {id: 'order', onchange: () => this.sort()},
        [...ORDERS].map(([id, [name]]) => make('option', {value: id}, name)));
    this.element = make('div', {},
        make('div', {class: 'legend'}, legend(),
            make('label', {class: 'order'}, 'Order ', this.order)),
        make('div', {class: 'scroll heat'}, this.table), this.pager.bar,
        make('p', {class: 'hint quiet'},
            'Arrow keys move in the matrix, Enter opens a cell, Escape closes it.'));
  }

  head() {
    const safe = new Map(list('kernels').map(kernel => [kernel.target, kernel]));
    const heads = targets.map((target, i) => make('th', {
      scope: 'col', role: 'columnheader', 'aria-colindex': i + 2, title: visible(target.label || ''),
    }, release(kernelLabel(target.id)), safeSign(safe.get(target.id))));
    return make('thead', {}, make('tr', {role: 'row', 'aria-rowindex': 1},
        make('th', {scope: 'col', role: 'columnheader', 'aria-colindex': 1, class: 'corner'},
            'Module set'), heads));
  }

  fill(slice, first) {
    this.first = first;
    this.table.setAttribute('aria-rowcount', this.pager.rows.length + 1);
    this.body.replaceChildren(...slice.map((row, i) => this.line(row, first + i)));
    if (slice.length === 0) {
      this.body.append(make('tr', {}, make('td', {class: 'nothing', colspan: targets.length + 1},
          'Nothing matches.')));
    }
    this.at.row = Math.min(Math.max(this.at.row, first), first + Math.max(slice.length - 1, 0));
    this.mark(this.cell(), '0');
  }

  line(row, index) {
    const {set} = row;
    const head = make('th', {scope: 'row', role: 'rowheader', tabindex: '-1', 'aria-colindex': 1},
        make('span', {class: 'name'}, setTitle(set)),
        make('span', {class: 'about quiet', title: visible(set.kernel)},
            set.kernel + ' · ' + count(set.modules.length, 'module') + ' · '
            + count(row.nodes, 'node')));
    const cells = targets.map((target, i) => verdictCell(row, target, i));
    return make('tr', {role: 'row', 'aria-rowindex': index + 2}, head, cells);
  }

  filter(words, states) {
    this.words = words;
    this.states = states;
    this.sort();
    return this.pager.rows.length;
  }

  sort() {
    const rows = this.all.filter(row => this.matches(row));
    const [, order] = ORDERS.get(this.order.value) || ORDERS.get('alike');
    this.at.row = 0;
    this.pager.set(order ? rows.sort(order) : rows);
  }

  matches(row) {
    const shown = this.states.size === STATES.size
        || [...row.verdicts.values()].some(verdict => this.states.has(stateOf(verdict).id));
    return shown && this.words.every(word => rowText(row).includes(word)
        || row.groups.some(group => nodeSetHas(group.nodes, word)));
  }

  prepare(row) {
    rowText(row);
    row.groups.forEach(group => knownNodeSet(group.nodes));
  }

  cell() {
    const line = this.body.rows[this.at.row - this.first];
    return line && line.cells[this.at.column];
  }

  mark(cell, index) {
    if (cell && this.pager.rows.length > 0) {
      cell.tabIndex = Number(index);
    }
  }

  /** Goes to a cell, on whichever page it is. */
  go(row, column) {
    this.mark(this.cell(), '-1');
    this.at.row = Math.min(Math.max(row, 0), this.pager.rows.length - 1);
    this.at.column = Math.min(Math.max(column, 0), targets.length);
    const page = Math.floor(this.at.row / PAGE);
    if (page !== this.pager.page) {
      this.pager.show(page);
    }
    this.mark(this.cell(), '0');
    this.cell().focus();
  }

  key(event) {
    if (this.pager.rows.length === 0 || event.altKey || event.metaKey) {
      return;
    }
    const {row, column} = this.at;
    const last = this.pager.rows.length - 1;
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageUp: [row - STRIDE, column], PageDown: [row + STRIDE, column],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? last : row, targets.length],
    };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      this.go(...moves[event.key]);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.openCell();
    }
  }

  focused(event) {
    const place = this.place(event.target);
    if (place) {
      this.mark(this.cell(), '-1');
      this.at = place;
      this.mark(this.cell(), '0');
    }
  }

  click(event) {
    const place = this.place(event.target);
    if (place) {
      this.go(place.row, place.column);
      this.openCell();
    }
  }

  place(element) {
    const cell = element.closest('tbody [aria-colindex]');
    return cell && {row: this.first + cell.parentNode.sectionRowIndex, column: cell.cellIndex};
  }

  openCell() {
    const target = this.at.column === 0 ? null : targets[this.at.column - 1];
    this.open(this.pager.rows[this.at.row], target, () => this.cell().focus());
  }
}

function verdictCell(row, target, i) {
  const verdict = row.verdicts.get(target.id);
  const state = stateOf(verdict);
  const failing = verdict ? verdict.fails + verdict.undetermined + (verdict.breaks || 0) : 0;
  const label = state.word + (failing > 0 ? ', ' + count(failing, 'module') : '');
  return make('td', {
    role: 'gridcell', tabindex: '-1', class: 'state ' + state.id, 'aria-colindex': i + 2,
    'aria-label': visible(setTitle(row.set) + ' on ' + kernelLabel(target.id) + ': ' + label),
  }, make('span', {class: 'sign'}, state.sign), make('span', {class: 'word'}, state.word),
  failing > 0 ? make('span', {class: 'number'}, number(failing)) : null);
}

function safeSign(kernel) {
  if (!kernel) {
    return null;
  }
  const [id, sign, text] = safety(kernel);
  return make('span', {class: 'safety ' + id}, sign, ' ', make('span', {class: 'word'}, text));
}

/** Whether a kernel refuses no module of any node. */
function loadsAll(kernel) {
  return kernel.blocked.count + kernel.rebuild.count + kernel.undetermined.count === 0;
}

/** Class, sign and words for the worst that a kernel is to some node. */
function safety(kernel) {
  const worst = ['blocked', 'rebuild', 'undetermined', 'install', 'link'].find(id => kernel[id].count > 0);
  const words = {blocked: 'Blocked for some', rebuild: 'Rebuild for some', undetermined: 'Undetermined',
    install: 'To be installed', link: 'To be linked'};
  return worst ? [worst, STATES.get(worst).sign, words[worst]] : ['ready', '✓', 'Ready on all'];
}

function legend() {
  return make('dl', {'aria-label': 'Signs'}, [...STATES.values()].map(state =>
    make('div', {title: state.meaning}, make('dt', {}, badge(state)), make('dd', {}, state.meaning))));
}
