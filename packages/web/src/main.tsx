import './styles/main.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { queryClient } from './api/query.ts'
import { startSession } from './api/session.ts'
import { LiveRegion } from './frame/LiveRegion.tsx'
import { startOver } from './frame/new-version.ts'
import { router } from './routes.tsx'
// On every page, also where nothing offers the choice: the system's mode may change meanwhile.
import './ui/theme.ts'
import { Toaster } from './ui/toast.tsx'

window.addEventListener('vite:preloadError', () => void startOver())

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
