// Unpacks the document that the page is about.

/** The document, which lies in the page as gzip in base64. */
async function unpacked() {
  const packed = Uint8Array.from(atob(byId('data').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

if (typeof DecompressionStream === 'undefined') {
  byId('main').append(make('p', {class: 'notice'},
      'This browser is too old to unpack the data of this page. weaklink audit also prints the data as a table, as CSV and as JSON.'));
  document.body.dataset.ready = '';
  return;
}
const doc = await unpacked();
const list = name => Array.isArray(doc[name]) ? doc[name] : [];
