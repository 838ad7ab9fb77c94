import { Link } from 'react-router'
import { useHost } from '../api/host.ts'
import { paths } from '../paths.ts'

export function Footer() {
  const contacts = useHost()?.contacts
  const link = 'text-inherit no-underline hover:underline'
  return (
    <footer className="mt-18 border-t border-line">
      <div className="mx-auto flex max-w-310 flex-wrap gap-x-7 gap-y-2 px-4 pt-5 pb-7 text-hint text-ink-2 md:px-8">
        <p className="flex-[1_1_320px]">Instant development environments on a custom hypervisor.</p>
        <Link to={paths.privacy} className={link}>
          Privacy Policy
        </Link>
        <Link to={paths.terms} className={link}>
          Terms of Service
        </Link>
        {contacts &&
          Object.entries(contacts).map(([role, address]) => (
            <a key={role} href={`mailto:${address}`} title={`${role} contact`} className={link}>
              {address}
            </a>
          ))}
      </div>
    </footer>
  )
}
