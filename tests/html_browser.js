// Opens pages in a browser, uses them as a reader would, and prints what it saw as JSON.
'use strict';
const fs = require('fs');
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const visible = page => page.$$eval('.finding', all => all.filter(each => each.offsetParent).map(each => each.id));

async function opened(browser, url, options, troubles) {
  // The policy of the page forbids axe's own script, so only that one is let in.
  const page = await (await browser.newContext({ bypassCSP: false, ...options })).newPage();
  page.on('console', message => { if (message.type() === 'error') troubles.push(message.text()); });
  page.on('pageerror', error => troubles.push(error.message));
  page.on('request', request => { if (request.url() !== url.split('#')[0]) troubles.push(request.url()); });
  page.on('dialog', dialog => { troubles.push(dialog.message()); dialog.dismiss(); });
  await page.goto(url);
  return page;
}

async function violations(page) {
  const found = await page.evaluate(source => {
    (0, eval)(source);
    return window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'best-practice'] });
  }, axe);
  return found.violations.map(each => `${each.id}: ${each.nodes.slice(0, 3).map(node => node.target + ' ' + node.failureSummary)}`);
}

async function main([plain, hostile, many, executablePath]) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const seen = {}, troubles = [];
  const page = await opened(browser, plain, { colorScheme: 'light' }, troubles);
  seen.all = await visible(page);
  await page.click('.chip[data-value=IPL202]');
  seen.byRule = await visible(page);
  seen.address = new URL(page.url()).hash;
  await page.click('.chip[data-value=warning]');
  seen.none = await visible(page);
  await page.keyboard.press('Escape');
  seen.cleared = await visible(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  seen.second = await page.$eval('.current', each => each.id);
  await page.keyboard.press('k');
  seen.first = await page.$eval('.current', each => each.id);
  await page.keyboard.press('/');
  await page.keyboard.type('sigmoid_');
  seen.searched = await visible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  seen.keys = await page.$eval('#keys', each => each.open);
  await page.keyboard.press('Escape');
  await page.click('.about');
  seen.rule = (await page.$eval('.inline-rule', each => each.textContent)).length > 100;
  await page.keyboard.press('t');
  seen.theme = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const scoped = await opened(browser, plain + '#severity=warning', {}, troubles);
  seen.scoped = await visible(scoped);
  for (const [name, options] of Object.entries({
    light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' }, phone: { viewport: { width: 390, height: 800 } },
    print: {}, scriptless: { javaScriptEnabled: false },
  })) {
    const other = await opened(browser, plain, options, troubles);
    if (name === 'print') await other.emulateMedia({ media: 'print' });
    seen[name] = await other.$$eval('.finding', all => all.filter(each => each.open && each.offsetParent).length);
    if (name === 'phone') seen.wide = await other.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  }
  for (const colorScheme of ['light', 'dark']) {
    // The page forbids scripts that are not its own; the check is one.
    const other = await (await browser.newContext({ colorScheme, bypassCSP: true })).newPage();
    await other.goto(plain);
    seen[`axe-${colorScheme}`] = await violations(other);
  }
  await opened(browser, hostile, {}, troubles);
  const large = await opened(browser, many, {}, troubles);
  const began = Date.now();
  await large.click('.chip[data-kind=severity]');
  seen.many = (await visible(large)).length;
  seen.took = Date.now() - began;
  await browser.close();
  process.stdout.write(JSON.stringify({ ...seen, troubles }));
}

main(process.argv.slice(2)).catch(error => { console.error(error); process.exit(1); });
