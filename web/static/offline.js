// The service worker: the page works without a connection once it was loaded.
//
// web/build writes the list of files and a name made from their bytes, so that each build has a
// cache of its own and files of two builds are never mixed.

const CACHE = 'tilelab-VERSION';
/** @type {string[]} */
const FILES = [/* files */];

/** @typedef {{ waitUntil: (done: Promise<unknown>) => void, request: Request, respondWith: (response: Promise<Response>) => void }} Working */
const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {Working} */ event) => {
  // Past the browser's own cache, which may hold files of another build.
  const files = ['./', ...FILES].map((file) => new Request(file, { cache: 'reload' }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

worker.addEventListener('activate', (/** @type {Working} */ event) => {
  const others = async () => (await caches.keys()).filter((name) => name.startsWith('tilelab-') && name !== CACHE);
  event.waitUntil(others().then((names) => Promise.all(names.map((name) => caches.delete(name)))));
});

worker.addEventListener('fetch', (/** @type {Working} */ event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) {
    return;
  }
  event.respondWith(answer(event.request));
});

/** The kept file; networks are kept when they are first asked for. @param {Request} request */
async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept !== undefined) {
    return kept;
  }
  const response = await fetch(request);
  if (response.ok && request.url.includes('/networks/')) {
    await cache.put(request, response.clone());
  }
  return response;
}
