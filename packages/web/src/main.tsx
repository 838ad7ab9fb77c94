import './styles/main.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { queryClient } from './api/query.ts'
import { startSession } from './api/session.ts'
import { router } from './routes.tsx'
import { LiveRegion } from './ui/LiveRegion.tsx'
// On every page, also where nothing offers the choice: the system's mode may change meanwhile.
import './ui/theme.ts'
import { Toaster } from './ui/toast.tsx'

// After an update the files of the old version are gone. A page that asks for one starts over with the new version,
// but not twice within ten seconds: then something else is wrong, and the error page says so.
window.addEventListener('vite:preloadError', () => {
  const key = 'slipway.started-over'
  if (Date.now() - Number(sessionStorage.getItem(key)) < 10_000) return
  sessionStorage.setItem(key, String(Date.now()))
  window.location.reload()
})

void startSession()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <LiveRegion />
      <Toaster />
    </QueryClientProvider>
  </StrictMode>,
)
