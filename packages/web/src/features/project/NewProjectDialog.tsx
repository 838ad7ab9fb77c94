import { useNavigate } from 'react-router'
import { paths } from '../../paths.ts'
import { GuardedDialog } from '../../shell/GuardedDialog.tsx'
import { ProjectForm } from './ProjectForm.tsx'

interface ProjectDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function NewProjectDialog({ open, onOpenChange }: ProjectDialogProps) {
  const navigate = useNavigate()
  return (
    <GuardedDialog
      open={open}
      onOpenChange={onOpenChange}
      title="New Project"
      description="A project groups virtual machines and what belongs to them."
    >
      <ProjectForm
        autoFocus
        onCreated={() => {
          onOpenChange(false)
          void navigate(paths.home)
        }}
      />
    </GuardedDialog>
  )
}
