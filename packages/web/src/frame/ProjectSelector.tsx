import { Check, ChevronsUpDown, Plus, RefreshCw, Trash, Trash2, Users } from 'lucide-react'
import { useLocation, useNavigate } from 'react-router'
import { useSelectedProject } from '../api/projects.ts'
import { projectDialogs } from '../features/project/project-dialogs.ts'
import { paths } from '../paths.ts'
import { objectIcons } from '../shell/object-icons.ts'
import { useOpenDialog } from '../shell/use-dialog.ts'
import { Menu } from '../ui/Menu.tsx'
import type { MenuEntry } from '../ui/MenuPopup.tsx'

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

/** Selects the current project, and leads to all projects and to a new one. */
export function ProjectSelector() {
  const { project, projects, loading, error, retry, select } = useSelectedProject()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const openDialog = useOpenDialog()

  const choose = (projectId: string) => {
    select(projectId)
    if (/^\/projects\/./.test(pathname)) void navigate(paths.vms(projectId))
  }
  const text =
    project?.name ?? (loading ? 'Loading projects...' : error ? 'Projects not loaded' : 'No projects')

  const items: MenuEntry[] = [
    ...projects.map(({ id, name, role }) => ({
      key: id,
      label: role === 'owner' ? name : `${name} (${role})`,
      icon: id === project?.id ? <Check {...icon} /> : <span className="block w-4" />,
      current: id === project?.id,
      onSelect: () => choose(id),
    })),
    ...(projects.length > 0 ? ['separator' as const] : []),
    ...(error ? [{ label: 'Try Again', icon: <RefreshCw {...icon} />, onSelect: retry }] : []),
    ...(project
      ? [
          {
            label: 'Members',
            icon: <Users {...icon} />,
            onSelect: () => void navigate(paths.members(project.id)),
          },
          {
            label: 'Bin',
            icon: <Trash {...icon} />,
            onSelect: () => void navigate(paths.bin(project.id)),
          },
          {
            label: 'Delete Project',
            icon: <Trash2 {...icon} />,
            onSelect: () => void navigate(paths.deleteProject(project.id)),
          },
        ]
      : []),
    {
      label: 'Manage Projects',
      icon: <objectIcons.project {...icon} />,
      onSelect: () => openDialog(projectDialogs.manage),
    },
    { label: 'New project', icon: <Plus {...icon} />, onSelect: () => openDialog(projectDialogs.create) },
  ]

  return (
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
  )
}
