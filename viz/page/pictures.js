// alive.js of a site: pictures in stored notebooks become the views that they are of, where the page of their notebook has them.
//
// The pictures come by themselves (HOOK in viz/stills.py) and wait in document.vizPictures; PAGES says by a picture's text alternative
// which page has its view. Nothing else is taken from a notebook: no state, no markup, no address. What cannot be had stays a picture.

const folder = new URL(".", document.currentScript.src), shows = new Map();

/** The function that shows a page's views in the places of their pictures, from the script beside the page (views.js). */
function viewsOf(page) {
  if (!shows.has(page)) shows.set(page, new Promise((resolve, reject) => {
    document.addEventListener("pg-views", ({ detail }) => { if (detail.page === page) resolve(detail.show); });
    document.head.append(Object.assign(document.createElement("script"), { src: new URL(`${page}.views.js`, folder), onerror: reject }));
  }));
  return shows.get(page);
}

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    viewsOf(PAGES[target.alt]).then((show) => show(target), () => {});
  }
}, { rootMargin: "800px" });

const take = (picture) => { if (Object.hasOwn(PAGES, picture.alt)) near.observe(picture); };

document.vizPictures.forEach(take);
document.vizPictures = { push: take };
