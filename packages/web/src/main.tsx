import './styles/main.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { startSession } from './api/session.ts'
import { startOver } from './frame/new-version.ts'
import { makeRouter } from './routes.tsx'
// On every page, also where nothing offers the choice: the system's mode may change meanwhile.
import './ui/theme.ts'

window.addEventListener('vite:preloadError', () => void startOver())

void startSession()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <App router={makeRouter()} />
  </StrictMode>,
)
