import { lazy, Suspense } from 'react'
import { useMatch } from 'react-router'
import { projectDialogs } from '../features/project/project-dialogs.ts'
import { paths } from '../paths.ts'
import { useDialog, useDialogInUrl } from '../shell/use-dialog.ts'

// The dialogs come when they are first opened.
const ManageProjectsDialog = lazy(async () => ({
  default: (await import('../features/project/ManageProjectsDialog.tsx')).ManageProjectsDialog,
}))
const NewProjectDialog = lazy(async () => ({
  default: (await import('../features/project/NewProjectDialog.tsx')).NewProjectDialog,
}))

const BatchDialog = lazy(async () => ({
  default: (await import('../features/batch/BatchDialog.tsx')).BatchDialog,
}))

/** What every page can open from its frame: managing the projects, creating one, and what came of a batch. Once in the console's frame. */
export function ProjectDialogs() {
  const managing = useDialog(projectDialogs.manage)
  const creating = useDialog(projectDialogs.create)
  const { dialog, close } = useDialogInUrl()
  const projectId = useMatch('/projects/:projectId/*')?.params.projectId
  return (
    <Suspense fallback={null}>
      {managing.open && <ManageProjectsDialog onClose={() => managing.close()} />}
      {creating.open && (
        <NewProjectDialog
          onClose={() => creating.close()}
          onCreated={() => creating.close({ to: paths.home })}
        />
      )}
      {dialog?.name === 'batch' && dialog.of && projectId && (
        <BatchDialog projectId={projectId} batchId={dialog.of} onClose={() => close()} />
      )}
    </Suspense>
  )
}
