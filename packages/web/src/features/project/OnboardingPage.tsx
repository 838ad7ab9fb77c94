import { useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { useProjects } from '../../api/projects.ts'
import { paths } from '../../paths.ts'
import { LoadingState } from '../../ui/LoadingState.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { wantsBack } from './come-back.ts'
import { FirstProject } from './FirstProject.tsx'

/** The first project. Once there is one it leads on: to the form that needed it, else home. */
export function Component() {
  const navigate = useNavigate()
  const back = wantsBack(useLocation().state)
  const { projects, loading } = useProjects()
  const done = projects.length > 0
  const left = useRef(false)
  useEffect(() => {
    if (!done || left.current) return
    left.current = true
    if (back) void navigate(-1)
    else void navigate(paths.home, { replace: true })
  }, [done, back, navigate])
  if (loading || done) return <LoadingState text="Loading projects..." outline="form" />
  return (
    <>
      <PageHeader
        title="Create your first project"
        description="A project groups virtual machines and what belongs to them."
      />
      <FirstProject />
    </>
  )
}
