import { ProjectForm } from './ProjectForm.tsx'

/** The project form in a sheet of its own, for users who have no project. */
export function FirstProject({ onCreated }: { onCreated?: () => void }) {
  return (
    <section aria-label="New project" className="sheet max-w-140">
      <ProjectForm inSheet {...(onCreated ? { onCreated } : {})} />
    </section>
  )
}
