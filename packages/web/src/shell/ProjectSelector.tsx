import { Check, ChevronsUpDown, Plus, RefreshCw } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useSelectedProject } from '../api/projects.ts'
import { paths } from '../paths.ts'
import { Menu } from '../ui/Menu.tsx'
import type { MenuEntry } from '../ui/MenuPopup.tsx'
import { objectIcons } from './object-icons.ts'

// The dialogs come when they are first opened.
const ManageProjectsDialog = lazy(async () => ({
  default: (await import('../features/project/ManageProjectsDialog.tsx')).ManageProjectsDialog,
}))
const NewProjectDialog = lazy(async () => ({
  default: (await import('../features/project/NewProjectDialog.tsx')).NewProjectDialog,
}))

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

/** Chooses the project one works in; also the way to all projects and to a new one. */
export function ProjectSelector() {
  const { project, projects, loading, error, retry, select } = useSelectedProject()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'manage' | 'new' | null>(null)
  // A dialog stays in the tree once it was opened, so that it can close softly.
  const [opened, setOpened] = useState({ manage: false, new: false })

  const open = (which: 'manage' | 'new') => {
    setOpened({ ...opened, [which]: true })
    setDialog(which)
  }
  const choose = (projectId: string) => {
    select(projectId)
    if (/^\/projects\/./.test(pathname)) void navigate(paths.vms(projectId))
  }
  const text =
    project?.name ?? (loading ? 'Loading projects...' : error ? 'Projects not loaded' : 'No projects')

  const items: MenuEntry[] = [
    ...projects.map(({ id, name }) => ({
      key: id,
      label: name,
      icon: id === project?.id ? <Check {...icon} /> : <span className="block w-4" />,
      current: id === project?.id,
      onSelect: () => choose(id),
    })),
    ...(projects.length > 0 ? ['separator' as const] : []),
    ...(error ? [{ label: 'Try Again', icon: <RefreshCw {...icon} />, onSelect: retry }] : []),
    { label: 'Manage Projects', icon: <objectIcons.project {...icon} />, onSelect: () => open('manage') },
    { label: 'New project', icon: <Plus {...icon} />, onSelect: () => open('new') },
  ]

  return (
    <>
      <Menu
        label="Projects"
        fitTrigger
        align="start"
        items={items}
        trigger={
          <button
            type="button"
            aria-label={project ? `Project: ${project.name}` : undefined}
            className="flex h-9 w-full items-center gap-2 rounded-control border border-line-control bg-sheet pr-2 pl-2.5 text-left text-dense font-medium hover:border-ink-2 phone:h-11"
          >
            <span className="min-w-0 flex-1 truncate">{text}</span>
            <ChevronsUpDown size={14} strokeWidth={1.6} aria-hidden className="flex-none text-ink-2" />
          </button>
        }
      />
      <Suspense fallback={null}>
        {opened.manage && (
          <ManageProjectsDialog
            open={dialog === 'manage'}
            onOpenChange={(next) => !next && setDialog(null)}
          />
        )}
        {opened.new && (
          <NewProjectDialog
            open={dialog === 'new'}
            onOpenChange={(next) => !next && setDialog(null)}
            onCreated={() => {
              setDialog(null)
              void navigate(paths.home)
            }}
          />
        )}
      </Suspense>
    </>
  )
}
