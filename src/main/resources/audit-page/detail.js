// What lies behind a cell: the verdict, its modules and their symbols, and the nodes it is about.

const SHOWN_MODULES = 200;

/** Fills the dialog and opens it; afterwards, wherever the focus was has it again. */
function openDetail(row, target, leave) {
  const dialog = byId('detail');
  const verdict = target && row.verdicts.get(target.id);
  const close = make('button', {type: 'button', class: 'close', onclick: () => dialog.close()}, 'Close');
  dialog.replaceChildren(
      make('div', {class: 'detail-head'},
          make('h2', {id: 'detail-title', tabindex: '-1'}, setTitle(row.set)), close),
      target ? verdictPart(verdict, target) : '',
      target ? actionPart(row, target) : '',
      verdict ? modulesPart(verdict) : '',
      nodesPart(row),
      setPart(row.set));
  dialog.addEventListener('close', leave, {once: true});
  dialog.showModal();
  dialog.scrollTop = 0;
  byId('detail-title').focus();
}

function facts(...pairs) {
  return make('dl', {class: 'facts'}, pairs.filter(([, value]) => value).map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, value))));
}

function verdictPart(verdict, target) {
  const state = stateOf(verdict);
  const judged = verdict && [
    count(verdict.loads, 'module') + ' would load',
    verdict.fails ? number(verdict.fails) + ' would be refused' : '',
    verdict.breaks ? number(verdict.breaks) + ' would keep others from loading' : '',
    verdict.undetermined ? number(verdict.undetermined) + ' could not be determined' : '',
  ].filter(Boolean).join(', ');
  return make('section', {},
      make('p', {class: 'verdict'}, badge(state), ' on ', release(kernelLabel(target.id))),
      make('p', {}, (verdict && verdict.reason) || state.meaning),
      facts(['Modules', judged], ['Kernel from', target.source], ['Version magic', target.vermagic],
          ['Not checked', (target.unchecked || []).join(', ')],
          ['Causes', (target.notes || []).join('; ')]));
}

function actionPart(row, target) {
  const actions = list('actions').filter(action =>
    action.set === row.set.id && action.target === target.id);
  return actions.length === 0 ? '' : make('section', {},
      make('h3', {}, 'What to do'),
      actions.map(action => make('p', {}, badge(STATES.get(action.state) || NOT_JUDGED),
          ' for ', count(action.count, 'node'), action.command
              ? make('code', {class: 'command'}, action.command) : '')));
}

function modulesPart(verdict) {
  const modules = verdict.modules || [];
  if (modules.length === 0) {
    return '';
  }
  return make('section', {},
      make('h3', {}, 'Modules that would not load'),
      modules.slice(0, SHOWN_MODULES).map((module, i) => modulePart(module, i === 0)),
      modules.length > SHOWN_MODULES
        ? make('p', {class: 'quiet'}, 'and ' + count(modules.length - SHOWN_MODULES, 'module') + ' more')
        : '');
}

function modulePart(module, open) {
  const found = module.findings || [];
  const all = found.length + (module.more || 0);
  return make('details', {class: 'module', open},
      make('summary', {}, make('strong', {}, module.module), ' ',
          make('span', {class: 'quiet'}, module.outcome === 'UNDETERMINED' ? 'not determined'
              : module.outcome === 'COMPATIBLE' ? 'breaks others' : 'refused',
              module.errno ? ' (' + module.errno + ')' : '', ' · ', count(all, 'finding'))),
      make('ul', {class: 'findings'}, found.map(findingItem),
          module.more ? make('li', {class: 'quiet'}, 'and ' + number(module.more) + ' more') : ''));
}

function findingItem(finding) {
  const crcs = finding.wanted || finding.offered;
  return make('li', {},
      make('span', {class: 'layer'}, finding.layer), ' ',
      finding.symbol ? make('code', {}, finding.symbol) : '',
      crcs ? make('span', {class: 'crcs'}, 'wanted ', make('code', {}, finding.wanted || 'none'),
          ', offered ', make('code', {}, finding.offered || 'none')) : '',
      finding.message ? make('code', {class: 'message'}, finding.message) : '',
      finding.cause ? make('span', {class: 'cause'}, ' ' + finding.cause.summary) : '');
}

function nodesPart(row) {
  return row.groups.length === 0 ? '' : make('section', {},
      make('h3', {}, count(row.nodes, 'node')),
      row.groups.map(group => make('p', {}, make('code', {class: 'nodes'}, group.nodes), ' ',
          make('span', {class: 'quiet'}, 'of which ' + number(group.running) + ' run '
            + group.kernel))));
}

function setPart(set) {
  const served = set.oldest === undefined ? 'none of those asked about'
      : kernelLabel(set.oldest) + ' to ' + kernelLabel(set.newest);
  return make('section', {},
      make('h3', {}, 'The modules'),
      facts(['In', set.kernel], ['Digest', make('code', {}, set.digest)],
          ['Loads on', targets.length === 0 ? '' : served]),
      make('details', {class: 'module'}, make('summary', {}, count(set.modules.length, 'module')),
          make('ul', {class: 'findings'},
              set.modules.slice(0, SHOWN_MODULES).map(moduleItem),
              set.modules.length > SHOWN_MODULES ? make('li', {class: 'quiet'},
                  'and ' + number(set.modules.length - SHOWN_MODULES) + ' more') : '')));
}

function moduleItem(module) {
  const about = [module.version && 'version ' + module.version,
    module.srcversion && 'srcversion ' + module.srcversion, module.vermagic];
  return make('li', {}, make('strong', {}, module.name), ' ',
      make('span', {class: 'quiet'}, about.filter(Boolean).join(' · ')),
      make('code', {class: 'message'}, module.path || ''));
}
