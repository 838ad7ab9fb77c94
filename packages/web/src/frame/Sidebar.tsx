import { Wrench } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { useHost, useIsSignUpOffered } from '../api/host.ts'
import { useSelectedProject } from '../api/projects.ts'
import { useSession } from '../api/session.ts'
import { useVms } from '../api/vms.ts'
import { paths } from '../paths.ts'
import { Brand } from '../shell/Brand.tsx'
import { objectIcons } from '../shell/object-icons.ts'
import { Button } from '../ui/Button.tsx'
import { Tip } from '../ui/Tip.tsx'
import { FindButton } from './FindButton.tsx'
import { ProjectSelector } from './ProjectSelector.tsx'
import { SidebarEntry as Entry } from './SidebarEntry.tsx'
import { engineText, UserMenu } from './UserMenu.tsx'

// Few see it.
const AdminEntries = lazy(async () => ({ default: (await import('./AdminEntries.tsx')).AdminEntries }))

/** The left column; on phones the drawer shows the same. */
export function Sidebar() {
  const { state, user } = useSession()
  const isSignUpOffered = useIsSignUpOffered()
  return (
    <div className="flex h-full flex-col overflow-y-auto pt-3.5">
      <Brand className="px-5 pt-0.5 pb-3.5 text-card" />
      {state === 'checking' && <p className="px-5 text-ink-3">Loading...</p>}
      {state === 'out' && (
        <div className="grid gap-2 px-3">
          {isSignUpOffered && (
            <Button variant="primary" render={<Link to={paths.signUp} />}>
              Sign Up
            </Button>
          )}
          <Button render={<Link to={paths.signIn} />}>Sign In</Button>
        </div>
      )}
      {state === 'in' && (
        <>
          <div className="px-3">
            <ProjectSelector />
            {/* On phones it is in the top bar. */}
            <div className="mt-2 hidden md:block">
              <FindButton />
            </div>
          </div>
          <Navigation isAdmin={user.is_admin} />
          {/* Visible on low screens as well: the links above scroll. */}
          <div className="flex-none pt-2">
            <EngineLine />
            <div className="border-t border-line">
              <UserMenu user={user} />
            </div>
          </div>
        </>
      )}
    </div>
  )
}

function Navigation({ isAdmin }: { isAdmin: boolean }) {
  const { project } = useSelectedProject()
  return (
    <nav aria-label="Main" className="mt-3.5 flex min-h-28 flex-1 flex-col gap-px overflow-y-auto px-3 pb-2">
      {/* `end`: the pages of one project are below /projects, but not what this entry means. */}
      <Entry to={paths.projects} icon={objectIcons.project} end>
        Projects
      </Entry>
      <Entry to={paths.templates} icon={objectIcons.template}>
        Templates
      </Entry>
      {project && (
        <>
          <Entry to={paths.activity(project.id)} icon={objectIcons.activity}>
            Activity
          </Entry>
          <Group title="VM Management">
            <Entry
              to={paths.vms(project.id)}
              icon={objectIcons.vm}
              aside={<VmCount projectId={project.id} />}
            >
              VMs
            </Entry>
            <Entry to={paths.vmPools(project.id)} icon={objectIcons.vm_pool}>
              VM Pools
            </Entry>
            <Entry to={paths.vmSets(project.id)} icon={objectIcons.vm_set}>
              VM Sets
            </Entry>
            <Entry to={paths.network(project.id)} icon={objectIcons.network}>
              Network
            </Entry>
          </Group>
          <Group title="Storage">
            <Entry to={paths.disks(project.id)} icon={objectIcons.disk}>
              Disks
            </Entry>
            <Entry to={paths.snapshots(project.id)} icon={objectIcons.vm_snapshot}>
              Snapshots
            </Entry>
            <Entry to={paths.diskSnapshots(project.id)} icon={objectIcons.disk_snapshot}>
              Disk Snapshots
            </Entry>
          </Group>
        </>
      )}
      <Group title="Admin">
        <Entry to={paths.adminTemplates} icon={Wrench}>
          Admin
        </Entry>
        {isAdmin && (
          <Suspense fallback={null}>
            <AdminEntries />
          </Suspense>
        )}
      </Group>
    </nav>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h2 className="px-2.5 pt-4 pb-[5px] text-[.75rem]/4 font-medium text-ink-3">{title}</h2>
      {children}
    </>
  )
}

function VmCount({ projectId }: { projectId: string }) {
  const { vms, loading, error } = useVms(projectId)
  if (loading) return null
  return error ? 'Unknown' : vms.length
}

function EngineLine() {
  const host = useHost()
  if (!host) return null
  return (
    <Tip text={host.accelerator_reason ?? undefined}>
      <p className="px-5 pb-2.5 text-label text-ink-3">{engineText(host)}</p>
    </Tip>
  )
}
