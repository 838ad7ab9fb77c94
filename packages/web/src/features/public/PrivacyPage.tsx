import { Contact } from './Contact.tsx'
import { LegalPage } from './LegalPage.tsx'

export function Component() {
  return (
    <LegalPage
      title="Privacy Policy"
      summary="This service collects your name, your email address and your password, and nothing else about you. Analytics run only with your consent. The periods after which data is erased are listed below."
      sections={[
        {
          title: 'What we collect',
          content: (
            <>
              <p>
                We collect only three pieces of personal data, all of them entered by you: your{' '}
                <strong>name</strong>, your <strong>email address</strong> and your <strong>password</strong>.
                The password is stored as a salted hash; nobody can read it back.
              </p>
              <p>
                What you create here, such as projects, SSH public keys and virtual machines, is your content.
                We store it to run the service for you and do not look into your machines.
              </p>
            </>
          ),
        },
        {
          title: 'What we use it for',
          content: (
            <ul>
              <li>Your name, to address you and to label your account.</li>
              <li>
                Your email address, to sign you in, to verify that it is yours and to reset your password.
              </li>
              <li>Your password, to check at sign-in that it is you.</li>
            </ul>
          ),
        },
        {
          title: 'Cookies and local storage',
          content: (
            <p>
              One cookie keeps you signed in; the service does not work without it. Your browser also
              remembers your chosen project, your colour mode and your answer to the privacy notice. None of
              these is used to follow you.
            </p>
          ),
        },
        {
          title: 'Analytics',
          content: (
            <p>
              Analytics need your <strong>consent</strong>. Nothing is measured before you press Accept, and
              nothing after you press Decline. Clearing the stored data of this site in your browser brings
              the question back, so that you can change your mind.
            </p>
          ),
        },
        {
          title: 'How long we keep it',
          content: (
            <ul>
              <li>
                Account data: <strong>30 days</strong> after the account is deleted.
              </li>
              <li>
                Virtual machines and their data: <strong>7 days</strong> after deletion.
              </li>
              <li>
                Analytics data: <strong>26 months</strong>.
              </li>
              <li>
                Security logs: <strong>12 months</strong>.
              </li>
            </ul>
          ),
        },
        {
          title: 'Who else sees it',
          content: (
            <p>
              Nobody buys or rents your data. The operator of this installation and the provider that delivers
              its email handle it on our behalf. Authorities receive data only where the law obliges us.
            </p>
          ),
        },
        {
          title: 'Security',
          content: (
            <p>
              Sessions, verification links and reset links are stored as hashes. Machines accept SSH keys
              only; password login is disabled on them.
            </p>
          ),
        },
        {
          title: 'Your rights',
          content: (
            <p>
              You may ask for a copy of your data, for its correction or its erasure, and you may withdraw a
              consent at any time. Write to <Contact of="privacy" />. You may also complain to the data
              protection authority where you live.
            </p>
          ),
        },
        {
          title: 'Changes',
          content: (
            <p>
              When this policy changes in substance, account holders are told by email before the change takes
              effect.
            </p>
          ),
        },
      ]}
    />
  )
}
