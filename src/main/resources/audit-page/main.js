// Puts the page together, and keeps what is shown in step with search and filter.

const matrix = targets.length > 0 && rowsOfSets.length > 0 ? new Matrix(rowsOfSets, openDetail) : null;
const shownStates = new Set(STATES.keys());

function sections() {
  const hasVerdicts = list('verdicts').some(verdict => !['ready', 'link'].includes(verdict.state));
  return [
    list('kernels').length > 0 && section('kernels', 'Kernels', 'What to do before nodes can boot a kernel with all their modules.', kernelsTable()),
    matrix && section('matrix', 'Module sets by kernel', '', matrix),
    list('steps').length > 0 && section('actions', 'Actions',
        'One for each product and kernel, the most nodes first: the order in which the fewest rebuilds help the most.', actionsTable()),
    list('missing').length > 0 && section('missing', 'No answer', 'There is no inventory of these nodes.', missingTable()),
    section('wrong', 'Wrong today', 'On these nodes something is out of order before any update.', wrongTable()),
    doc.baseline && section('changes', 'Since the last audit',
        unchanged(), changesTable()),
    hasVerdicts && section('reasons', 'Reasons', 'Why modules would not load.', reasonsTable()),
    hasVerdicts && section('causes', 'Symbols', 'What the loader objects to, the most module sets first.', causesTable(searchFor)),
    section('groups', 'Node groups', 'Nodes that have the same modules for a kernel.', groupsTable()),
  ].filter(Boolean);
}

function unchanged() {
  const {baseline} = doc;
  const nodes = (entry, words) => entry && entry.count > 0 ? ' ' + count(entry.count, 'node') + words : '';
  return count(baseline.unchanged || 0, 'finding') + ' unchanged.'
      + nodes(baseline.unknown, ' with earlier problems that could not be checked again.')
      + nodes(baseline.vanished, ' in the earlier audit only.');
}

function tile(value, label, note, kind) {
  return make('div', {class: 'tile ' + (kind || '')},
      make('dt', {}, label), make('dd', {}, make('span', {class: 'value'}, value),
          make('span', {class: 'note quiet'}, note)));
}

function tiles() {
  const kernels = list('kernels');
  const all = kernels.filter(loadsAll);
  const wrong = wrongToday().filter(entry => entry.severity !== 'warning').length;
  const missing = list('missing').reduce((sum, entry) => sum + entry.count, 0);
  const incomplete = doc.incomplete && doc.incomplete.count;
  const problems = doc.input && doc.input.problems;
  return make('dl', {class: 'tiles', 'aria-label': 'Summary'},
      tile(number(doc.nodes), 'Nodes', 'in ' + count(list('groups').length, 'group')),
      kernels.length > 0 ? tile(number(all.length) + ' of ' + number(kernels.length),
          'Kernels that load all modules', all.length > 0 ? ['newest: ', release(kernelLabel(all[0].target))] : '',
          all.length > 0 ? 'good' : 'bad') : '',
      tile(number(wrong), 'Wrong today', wrong > 0 ? 'before any update' : 'nothing found', wrong > 0 ? 'bad' : 'good'),
      missing > 0 ? tile(number(missing), 'No answer', list('missing')[0].reason, 'unsure') : '',
      incomplete || problems ? tile(number(incomplete), 'Nodes read in part',
          problems ? count(problems, 'piece') + ' of input skipped' : '', 'unsure') : '');
}

function notices() {
  const notes = [];
  if (targets.length === 0) {
    notes.push('No kernel was named, so this page shows the current state, not which modules would load. Name kernels with --kernel.');
  }
  if (doc.schema !== 'weaklink.audit/1') {
    notes.push('This page was made for another version of its data; some of it may be missing.');
  }
  return notes.map(text => make('p', {class: 'notice'}, text));
}

function incompleteNotice() {
  const incomplete = doc.incomplete;
  return incomplete && incomplete.count > 0 ? [make('p', {class: 'notice'},
      'Not everything could be read on ', count(incomplete.count, 'node'), ': ',
      longText(incomplete.nodes, 120))] : [];
}

function stateChoice(state) {
  const change = event => {
    shownStates[event.target.checked ? 'add' : 'delete'](state.id);
    update();
  };
  return make('label', {class: 'choice ' + state.id, title: state.meaning},
      make('input', {type: 'checkbox', checked: true, value: state.id, onchange: change}),
      make('span', {class: 'sign', 'aria-hidden': 'true'}, state.sign), state.word);
}

const parts = sections();

function update() {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const part of parts) {
    const rows = part.content.filter(words, shownStates);
    part.link.lastChild.textContent = number(rows);
    found += rows;
  }
  const all = words.length === 0 && shownStates.size === STATES.size;
  byId('found').textContent = all ? '' : count(found, 'row') + ' in all parts';
}

function searchFor(text) {
  byId('search').value = text;
  update();
  (matrix ? byId('matrix') : byId('groups')).scrollIntoView();
  byId('search').focus({preventScroll: true});
}

function build() {
  byId('states').append(...[...STATES.values()].map(stateChoice));
  byId('states').hidden = !matrix;
  for (const part of parts) {
    part.link = make('a', {href: '#' + part.id}, part.title, ' ', make('span', {class: 'amount'}, '0'));
    byId('nav').append(part.link);
  }
  update();
  for (const code of document.querySelectorAll('.top .command')) {
    code.after(copyButton(code.textContent));
  }
  byId('main').append(...notices(), tiles(), ...incompleteNotice(), ...parts.map(part => part.element));
}

/** Makes what a search looks at while nobody waits for it. */
function prepare() {
  const contents = parts.map(part => part.content);
  let row = 0;
  const work = idle => {
    while (contents.length > 0 && idle.timeRemaining() > 2) {
      const {all} = contents[0];
      for (const end = Math.min(row + 50, all.length); row < end; row++) {
        contents[0].prepare(all[row]);
      }
      if (row === all.length) {
        contents.shift();
        row = 0;
      }
    }
    if (contents.length > 0) {
      requestIdleCallback(work);
    }
  };
  if ('requestIdleCallback' in window) {
    requestIdleCallback(work);
  }
}

build();
prepare();
let pending = 0;
byId('search').addEventListener('input', () => {
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(update);
});
document.addEventListener('keydown', event => {
  if (event.key === '/' && event.target.tagName !== 'INPUT' && !byId('detail').open) {
    event.preventDefault();
    byId('search').focus();
  } else if (event.key === 'Escape' && event.target === byId('search')) {
    byId('search').value = '';
    update();
  }
});
byId('detail').addEventListener('click', event => {
  if (event.target === byId('detail')) {
    byId('detail').close();
  }
});
window.addEventListener('beforeprint', () => {
  parts.forEach(part => part.content.pager.print());
  document.querySelectorAll('main details').forEach(details => {
    details.open = true;
  });
});
window.addEventListener('afterprint', () => parts.forEach(part => part.content.pager.show(0)));
document.body.dataset.ready = '';
