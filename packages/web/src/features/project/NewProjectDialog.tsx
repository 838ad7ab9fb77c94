import { GuardedDialog } from '../../shell/GuardedDialog.tsx'
import { ProjectForm } from './ProjectForm.tsx'

interface ProjectDialogProps {
  onClose: () => void
  /** The project was created: the dialog closes and leads home. */
  onCreated: () => void
}

export function NewProjectDialog({ onClose, onCreated }: ProjectDialogProps) {
  return (
    <GuardedDialog
      open
      onOpenChange={onClose}
      title="New Project"
      description="A project groups virtual machines and what belongs to them."
    >
      <ProjectForm autoFocus onCreated={onCreated} />
    </GuardedDialog>
  )
}
