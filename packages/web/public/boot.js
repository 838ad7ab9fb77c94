// Runs before the first paint and before any module. An external file, because the content security policy allows
// neither inline scripts nor eval.
;(() => {
  // The same key and rule as in src/ui/theme.ts.
  let choice = null
  try {
    choice = localStorage.getItem('slipway.theme')
  } catch {}
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)

  // Zod compiles its checks with eval where it may; it reads this when its first schema is made.
  globalThis.__zod_globalConfig = { jitless: true }
})()
