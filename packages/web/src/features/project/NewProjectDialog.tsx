import { useNavigate } from 'react-router'
import { paths } from '../../paths.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProjectForm } from './ProjectForm.tsx'

interface ProjectDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

export function NewProjectDialog({ open, onOpenChange }: ProjectDialogProps) {
  const navigate = useNavigate()
  return (
    <Dialog
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
    </Dialog>
  )
}
