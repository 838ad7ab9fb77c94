import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { Contact } from './Contact.tsx'
import { LegalPage } from './LegalPage.tsx'

export function Component() {
  return (
    <LegalPage
      title="Terms of Service"
      summary="These terms hold between you and the operator of this service from the moment you create an account. They say who may use it, what it may be used for and what you can expect."
      sections={[
        {
          title: 'Who may use it',
          content: (
            <ul>
              <li>
                You must be <strong>18 years or older</strong>.
              </li>
              <li>
                You must <strong>verify your email address</strong> before your first sign-in.
              </li>
              <li>An account belongs to one person. Whoever acts for an organisation must be allowed to.</li>
            </ul>
          ),
        },
        {
          title: 'Your account',
          content: (
            <p>
              Keep your password and your private SSH keys to yourself. What happens under your account counts
              as done by you until you tell us that somebody else has got hold of it.
            </p>
          ),
        },
        {
          title: 'The service',
          content: (
            <p>
              The service runs development environments as virtual machines on a hypervisor. Machines, pools,
              disks and snapshots are bounded by the capacity of the installation and by the limits of a
              project.
            </p>
          ),
        },
        {
          title: 'Acceptable use',
          content: (
            <>
              <p>You may not use the service to</p>
              <ul>
                <li>break the law or the rights of others,</li>
                <li>attack, scan or overload systems that are not yours,</li>
                <li>send unsolicited mail, spread malware or mine cryptocurrency,</li>
                <li>get around its limits or disturb other users.</li>
              </ul>
              <p>Machines that do so may be stopped at once and without notice.</p>
            </>
          ),
        },
        {
          title: 'Your content',
          content: (
            <p>
              What you put on your machines stays yours, and so does the responsibility for it. Keep your own
              backups: a snapshot on the same installation is not one. Data on a machine without persistent
              storage is lost when it stops or restarts.
            </p>
          ),
        },
        {
          title: 'Availability',
          content: (
            <p>
              We aim at an uptime of <strong>99.9%</strong>. This is a goal; it is{' '}
              <strong>not guaranteed</strong>, and missing it gives no claim to compensation. Maintenance is
              announced where that is possible.
            </p>
          ),
        },
        {
          title: 'Liability',
          content: (
            <p>
              The service is provided as it is. As far as the law allows, the operator is not liable for lost
              data, lost profit or indirect damage. Liability for intent, gross negligence and injury to life,
              body or health remains.
            </p>
          ),
        },
        {
          title: 'Ending it',
          content: (
            <p>
              You may delete your account at any time. The operator may close accounts that break these terms.
              What is then kept, and for how long, is in the{' '}
              <Link to={paths.privacy} className="link">
                Privacy Policy
              </Link>
              .
            </p>
          ),
        },
        {
          title: 'Changes and questions',
          content: (
            <p>
              Changes to these terms are sent to account holders by email. Legal questions go to{' '}
              <Contact of="legal" />, all others to <Contact of="support" />.
            </p>
          ),
        },
      ]}
    />
  )
}
