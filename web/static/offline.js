// The service worker: the page works without a connection once it was loaded.
//
// web/build writes the lists of files that have a hash in their names or folders. These never
// change, so files of two builds are never mixed.

const CACHE = 'tilelab';
/** What has the same name in every build. */
const NAMED = ['./', 'index.html', 'icon.svg', 'icon.png', 'manifest.webmanifest'];
/** All others: also those that Simulate and hints need. @type {string[]} */
const HASHED = [/* hashed */];

const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(install()));

async function install() {
  const cache = await caches.open(CACHE);
  const kept = await Promise.all(HASHED.map((file) => cache.match(file)));
  await cache.addAll(HASHED.filter((_, at) => kept[at] === undefined));
  // Last, when all that the page names is there, and past the browser's own cache.
  await cache.addAll(NAMED.map((file) => new Request(file, { cache: 'reload' })));
}

worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(forget()));

/** Gives up the files of earlier builds. */
async function forget() {
  const cache = await caches.open(CACHE);
  const own = new Set([...NAMED, ...HASHED].map((file) => new URL(file, location.href).href));
  const old = (await cache.keys()).filter(({ url }) => !own.has(url));
  await Promise.all(old.map((request) => cache.delete(request)));
}

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  if (event.request.method === 'GET' && new URL(event.request.url).origin === location.origin) {
    event.respondWith(answer(event.request));
  }
});

/** The kept file. @param {Request} request */
async function answer(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
