import { type Identity, keepsWayIn } from '@slipway/contract'
import { useHost } from './host.ts'
import { useIdentities } from './identities.ts'
import { usePasskeys } from './passkeys.ts'

/**
 * Whether a passkey, or that identity, can be taken off the account, or the sentence why not. What is not known yet is
 * allowed: the server refuses what would lock somebody out.
 */
export function useMayTakeOff(): (what: 'passkey' | Identity) => true | string {
  const host = useHost()
  const passkeys = usePasskeys()
  const known = useIdentities()
  if (!host || passkeys.loading || passkeys.error || known.loading || known.error) return () => true
  const keys = host.passkey_origin === null ? 0 : passkeys.passkeys.length
  const others = (id: string) =>
    known.identities.filter((one) => one.provider !== null && one.id !== id).length
  return (what) =>
    keepsWayIn({
      password: known.hasPassword,
      passkeys: what === 'passkey' ? keys - 1 : keys,
      identities: others(what === 'passkey' ? '' : what.id),
    })
}
