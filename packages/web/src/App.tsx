import { QueryClientProvider } from '@tanstack/react-query'
import { type DataRouter, RouterProvider } from 'react-router'
import { queryClient } from './api/query.ts'
import { LiveRegion } from './frame/LiveRegion.tsx'
import { Toaster } from './ui/toast.tsx'

/** The whole console, with what stands beside its pages. */
export function App({ router }: { router: DataRouter }) {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <LiveRegion />
      <Toaster />
    </QueryClientProvider>
  )
}
