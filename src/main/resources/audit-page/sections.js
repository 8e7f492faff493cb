// The parts of the page, each a heading and a table; those with nothing to say are left out.

const stateBadge = id => badge(STATES.get(id) || STATES.get('undetermined'));
const product = id => setTitle(setById.get(id));

function section(id, title, about, content) {
  return {id, title, content, element: make('section', {id, 'aria-labelledby': id + '-title'},
      make('h2', {id: id + '-title'}, title),
      about ? make('p', {class: 'quiet'}, about) : '', content.element)};
}

function kernelsTable() {
  const best = doc.advice && doc.advice.best ? doc.advice.best.target : -1;
  const rows = [...list('kernels')].sort((a, b) => (b.target === best) - (a.target === best));
  return new ListTable('How nodes stand to kernels', 'kernel', [
    ['Kernel', row => [release(kernelLabel(row.target)),
      row.target === best ? make('span', {class: 'tag best'}, 'best') : '']],
    ['Answer', row => { const [id, sign, text] = safety(row); return badge({id, sign, word: text}); }],
    ['Nodes', row => share(row), 'wide'],
    ['Node sets', row => statesOf(row).map(state =>
        make('div', {class: 'of-state'}, badge(state), ' ', longText(row[state.id].nodes))), 'wide'],
    ['Not checked', row => ((targetById.get(row.target) || {}).unchecked || []).join(', ') || '–', 'quiet'],
  ], rows, row => ({texts: [kernelLabel(row.target)], nodes: statesOf(row).map(state => row[state.id].nodes)}));
}

/** The states that some node is in. */
function statesOf(kernel) {
  return [...STATES.values()].filter(state => kernel[state.id] && kernel[state.id].count > 0);
}

/** How many nodes are in each state, as a bar and in numbers. */
function share(row) {
  const parts = statesOf(row);
  return make('div', {class: 'share'},
      make('div', {class: 'bar', 'aria-hidden': 'true'}, parts.map(state => {
        const part = make('span', {class: state.id});
        part.style.flexGrow = row[state.id].count;
        return part;
      })),
      parts.map(state => number(row[state.id].count) + ' ' + state.word.toLowerCase()).join(', '));
}

function actionsTable() {
  return new ListTable('Actions', 'action', [
    ['Do', row => stateBadge(row.state)],
    ['For kernel', row => release(kernelLabel(row.target))],
    ['Modules', row => row.product, 'wide'],
    ['Nodes', row => number(row.count), 'amount'],
    ['Serves then', row => row.servedAfter ? number(row.servedAfter) : '–', 'amount'],
    ['Node set', row => longText(row.nodes)],
    ['Command', row => row.command ? commandLine(onNodes(row))
        : row.builder ? 'These nodes cannot build the modules: build them on ' + row.builder
            + ', then install them on these nodes.' : '–', 'wide'],
  ], list('steps'), row => ({
    texts: [row.product, kernelLabel(row.target), row.command], nodes: [row.nodes], state: row.state,
  }));
}

/** A step's command as clush runs it on its nodes; more than 100,000 characters fit into no argument. */
function onNodes(step) {
  return step.nodes.length > 100000 ? step.command : `clush -w '${step.nodes}' '${step.command}'`;
}

function wrongTable() {
  return new ListTable('Wrong today', 'finding', [
    ['Module', row => make('strong', {}, row.subject || '–')],
    ['What is wrong', row => [row.meaning || row.kind, ' ',
      row.running ? make('span', {class: 'tag'}, 'running') : '',
      row.libraries ? make('span', {class: 'tag'}, 'RDMA libraries') : '',
      row.severity === 'warning' ? make('span', {class: 'tag'}, 'warning') : '',
      row.detail ? make('code', {class: 'message'}, row.detail) : '']],
    ['Kernel', row => row.kernel ? release(row.kernel) : '–'],
    ['Nodes', row => number(row.count), 'amount'],
    ['Node set', row => longText(row.nodes)],
  ], wrongToday(), row => ({
    texts: [row.subject, row.meaning, row.kind, row.detail, row.kernel], nodes: [row.nodes],
  }));
}

function reasonsTable() {
  const rows = list('verdicts').filter(verdict => !['ready', 'link'].includes(stateOf(verdict).id))
      .sort((a, b) => stateOf(b).rank - stateOf(a).rank);
  return new ListTable('Reasons', 'verdict', [
    ['Verdict', row => stateBadge(row.state)],
    ['Modules', row => product(row.set)],
    ['For kernel', row => release(kernelLabel(row.target))],
    ['Nodes', row => number((rowBySet.get(row.set) || {}).nodes), 'amount'],
    ['Reason', row => row.reason || '–'],
    ...(list('causes').length === 0 ? [] : [['Cause', row => causesOf(row)]]),
  ], rows, row => ({
    texts: [product(row.set), kernelLabel(row.target), row.reason,
      ...(row.causes || []).map(cause => cause.summary),
      ...findings(row).map(finding => finding.symbol)],
    nodes: (rowBySet.get(row.set) || {groups: []}).groups.map(group => group.nodes),
    state: stateOf(row).id,
  }));
}

/** What changed in the kernel, and of how many of its sets that explains refusals. */
function causesOf(verdict) {
  return (verdict.causes || []).map(cause => {
    const share = list('causes').find(one => one.target === verdict.target
      && one.kind === cause.kind && one.name === cause.name && one.change === cause.change);
    return make('p', {}, cause.summary, cause.change === 'spelling' ? ' (spelling only)' : '',
        share ? ': explains ' + number(share.sets) + ' of ' + count(share.of, 'set') : '');
  });
}

function causesTable(search) {
  return new ListTable('Symbols', 'cause', [
    ['Symbol', row => row.symbol ? make('button', {type: 'button', class: 'link',
      onclick: () => search(row.symbol)}, row.symbol) : '–'],
    ['Step of the loader', row => row.layer],
    ['Module sets', row => number(row.sets.size), 'amount'],
    ['Modules', row => longText([...row.modules].sort(compare).join(', ')), 'wide'],
    ['Kernels', row => number(row.kernels.size), 'amount'],
  ], causes(), row => ({texts: [row.symbol, row.layer, ...row.modules]}));
}

function missingTable() {
  return new ListTable('No answer', 'reason', [
    ['Why', row => row.reason],
    ['Nodes', row => number(row.count), 'amount'],
    ['Node set', row => longText(row.nodes)],
  ], list('missing'), row => ({texts: [row.reason], nodes: [row.nodes]}));
}

function groupsTable() {
  return new ListTable('Node groups', 'group', [
    ['Node set', row => longText(row.nodes, 64)],
    ['Nodes', row => number(row.count), 'amount'],
    ['Kernel', row => release(row.kernel)],
    ['Running it', row => number(row.running), 'amount'],
    ['Modules', row => [product(row.set), ' ', make('span', {class: 'quiet'},
        count(((setById.get(row.set) || {}).modules || []).length, 'module'))]],
    ['Wrong', row => number((row.defects || []).length), 'amount'],
  ], list('groups'), row => ({texts: [row.kernel, product(row.set)], nodes: [row.nodes]}));
}

function changesTable() {
  const {baseline} = doc;
  const rows = [...(baseline.new || []).map(entry => ({...entry, word: 'New'})),
    ...(baseline.fixed || []).map(entry => ({...entry, word: 'Fixed'}))];
  return new ListTable('Since the last audit', 'change', [
    ['Change', row => make('span', {class: 'tag ' + row.word.toLowerCase()}, row.word)],
    ['What', row => row.what],
    ['Nodes', row => number(row.count), 'amount'],
    ['Node set', row => longText(row.nodes)],
  ], rows, row => ({texts: [row.what, row.word], nodes: [row.nodes]}));
}
