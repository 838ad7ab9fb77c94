// Sets the mode before the first paint. An external file, because the content security policy forbids inline
// scripts. The key and the rule are those of src/ui/theme.ts.
;(() => {
  let choice = null
  try {
    choice = localStorage.getItem('slipway.theme')
  } catch {}
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
})()
