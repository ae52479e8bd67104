/* Answers for the network where there is none: with the rulebooks, and with pages as they were last. No page needs it.

   The server writes RELEASE, STATIC and KEEP above. A release has its own caches; those of others are deleted. */
const FILES = `files ${RELEASE}`; // what never changes under its name, and the pages fetched before anybody wanted them
const PAGES = `pages ${RELEASE}`; // as they were last seen, newest last
const MOST_PAGES = 40;
const PATIENCE = 4000;
const IS_KEPT = /^\/(history\/|prepare\/.*|tables\/[^/]{8,}\/((log|display)\/)?|[a-z-]+\/rules\/.*)?$/;
const AS_IF_NONE = [502, 503, 504];
const ANY_VARIANT = { ignoreVary: true };
const TABLE = /<main\s+id="table"\s+data-version="(\d+)"[^]*<\/main>/;
const IN_PLAY = /<main\s+id="table"[^>]*\sclass="table"/;

/* Requests that it never answers bypass it. While a new version waits to take over, each poll would otherwise wake this
   one again and delay the takeover by minutes. */
const IS_ANSWERED = { or: [{ requestMode: "navigate" }, { urlPattern: `${STATIC}*` }] };

addEventListener("install", (event) => {
  event.addRoutes?.({ condition: { not: IS_ANSWERED }, source: "network" }).catch(() => {}); // not every browser can
  event.waitUntil(fillCache());
});
addEventListener("activate", (event) => event.waitUntil(deleteOldCaches()));
addEventListener("message", (event) => {
  const { keep, part, now, release } = event.data;
  if (keep) event.waitUntil(part ? runInOrder(() => renewPage(new URL(keep, location), part)) : visitPage(keep));
  if (now || release === RELEASE) skipWaiting(); // a page of this release is here already: there is nothing to offer
  else if (release) event.source.postMessage("new version");
});
addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith(STATIC)) event.respondWith(answerFile(request));
  else if (request.mode === "navigate") {
    const fromNetwork = fetch(request);
    event.waitUntil(fromNetwork.then((response) => storePage(url, response.clone())).catch(() => {}));
    event.respondWith(answerPage(url, fromNetwork));
  }
});

/* One after the other, so that the table has priority on the network. A retry keeps what is already there. */
async function fillCache() {
  const cache = await caches.open(FILES);
  for (const url of KEEP) {
    if (await cache.match(url, ANY_VARIANT)) continue;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    await cacheFilesOf(cache, response.clone());
    await cache.put(url, response);
  }
}

/* A cached page needs the files that it references. */
async function cacheFilesOf(cache, response) {
  for (const [, url] of (await response.text()).matchAll(/(?:href|src)="([^"]+)"/g)) {
    if (url.startsWith(STATIC) && !(await cache.match(url))) await cache.add(url);
  }
}

async function deleteOldCaches() {
  const oldNames = (await caches.keys()).filter((name) => ![FILES, PAGES].includes(name));
  await Promise.all(oldNames.map((name) => caches.delete(name)));
  await clients.claim();
}

function deletePages(cache, requests) {
  return Promise.all(requests.map((request) => cache.delete(request, ANY_VARIANT)));
}

async function answerFile(request) {
  const cache = await caches.open(FILES);
  const copy = await cache.match(request, ANY_VARIANT);
  if (copy) return copy;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

async function answerPage(url, fromNetwork) {
  const copy = await findCopy(url);
  const pause = new Promise((done) => { if (copy) setTimeout(done, PATIENCE); });
  const response = await Promise.race([fromNetwork, pause]).catch(() => null);
  if (response && !(copy && AS_IF_NONE.includes(response.status))) return response;
  return copy ? dateCopy(copy) : (await findOfflinePage()) ?? Response.error();
}

async function visitPage(address) {
  const url = new URL(address, location);
  const response = await fetch(url).catch(() => null);
  if (response) await storePage(url, response);
}

/* Writes are sequential, so that an older response never overwrites a newer one. */
let writing = Promise.resolve();
const runInOrder = (work) => (writing = writing.then(work, work));

/* Refresh the cached home page, so that it lists the table in play. */
async function storePage(url, response) {
  const copy = response.clone();
  await runInOrder(() => storeCopy(url, response));
  if (url.pathname === "/" || !IN_PLAY.test(await copy.text())) return;
  const home = await findCopy(new URL("/", location));
  if (!(await home?.text())?.includes(url.pathname)) await visitPage("/");
}

/* Replace the cached page by what the server has just confirmed; delete older ones. */
async function renewPage(url, part) {
  const copy = await findCopy(url);
  const html = await copy?.text();
  const [cachedTable, newTable] = [html, part].map((text) => text.match(TABLE));
  if (!cachedTable || !newTable || Number(newTable[1]) < Number(cachedTable[1])) return;
  const headers = new Headers(copy.headers);
  headers.set("Date", new Date().toUTCString());
  const cache = await caches.open(PAGES);
  await cache.put(url.href, new Response(html.replace(TABLE, () => newTable[0]), { headers }));
  const isOlder = (request) => new URL(request.url).pathname === url.pathname && request.url !== url.href;
  await deletePages(cache, (await cache.keys()).filter(isOlder));
}

async function storeCopy(url, response) {
  if (!IS_KEPT.test(url.pathname)) return;
  const cache = await caches.open(PAGES);
  if ([403, 404].includes(response.status)) return forgetTable(cache, url.pathname);
  const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
  if (response.status !== 200 || response.redirected || !isPage) return;
  await cacheFilesOf(await caches.open(FILES), response.clone());
  await cache.put(url.href, response); // in the place of the last one, without a moment in which there is none
  await deletePages(cache, (await cache.keys()).slice(0, -MOST_PAGES));
}

/* Delete all pages of a table that this device may no longer see. */
async function forgetTable(cache, path) {
  const table = path.match(/^\/tables\/[^/]+\//)?.[0] ?? path;
  await deletePages(cache, (await cache.keys()).filter((request) => new URL(request.url).pathname.startsWith(table)));
}

async function findCopy(url) {
  const cache = await caches.open(PAGES);
  const copy = await cache.match(url.href, ANY_VARIANT);
  const similar = copy ?? (await cache.match(url.href, { ...ANY_VARIANT, ignoreSearch: true }));
  return similar ?? (await caches.open(FILES)).match(url.href, ANY_VARIANT);
}

/* The language of the URL, or of the page read last. */
async function findOfflinePage() {
  const cache = await caches.open(PAGES);
  const newest = await cache.match((await cache.keys()).at(-1) ?? "", ANY_VARIANT);
  const language = newest?.headers.get("Content-Language");
  const pages = KEEP.filter((url) => url.endsWith("/offline/"));
  const page = pages.find((url) => url === `/${language}/offline/`) ?? pages[0];
  return (await caches.open(FILES)).match(page, ANY_VARIANT);
}

/* The page shows its own date. */
async function dateCopy(copy) {
  const html = await copy.text();
  return new Response(html.replace("<html ", `<html data-kept="${copy.headers.get("Date") ?? ""}" `), copy);
}
