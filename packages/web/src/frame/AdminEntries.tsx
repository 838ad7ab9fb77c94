import { HeartPulse, Library, ListChecks, Users } from 'lucide-react'
import { paths } from '../paths.ts'
import { SidebarEntry } from './SidebarEntry.tsx'

/** The desk of those who run the installation. */
export function AdminEntries() {
  return (
    <>
      <SidebarEntry to={paths.adminAccounts} icon={Users}>
        Accounts
      </SidebarEntry>
      <SidebarEntry to={paths.adminOperations} icon={ListChecks}>
        Operations
      </SidebarEntry>
      <SidebarEntry to={paths.adminCatalogue} icon={Library}>
        Catalogue
      </SidebarEntry>
      <SidebarEntry to={paths.adminHealth} icon={HeartPulse}>
        Health
      </SidebarEntry>
    </>
  )
}
