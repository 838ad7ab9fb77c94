import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { directoryOfFile } from './lib/directory.test-kit.ts'

const file = `${directoryOfFile()}/secret`

const keycloak = {
  SLIPWAY_PUBLIC_URL: 'https://vms.example.com',
  SLIPWAY_OIDC: 'keycloak',
  SLIPWAY_OIDC_KEYCLOAK_ISSUER: 'https://id.example.com/realms/main',
  SLIPWAY_OIDC_KEYCLOAK_CLIENT_ID: 'slipway',
  SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET: 'a secret',
}
const read = (more: Record<string, string | undefined> = {}) => readConfig({ ...keycloak, ...more }).oidc

describe('providers', () => {
  it('are none unless they are named', () => {
    expect(readConfig({}).oidc).toEqual([])
    expect(readConfig({ SLIPWAY_OIDC: ' ' }).oidc).toEqual([])
  })

  it('need little, and have what is usual for the rest', () => {
    expect(read()).toEqual([
      {
        name: 'keycloak',
        label: 'Keycloak',
        issuer: 'https://id.example.com/realms/main',
        clientId: 'slipway',
        clientSecret: 'a secret',
        scope: 'openid email profile',
        groupsClaim: 'groups',
        adminGroup: null,
        trustsEmail: false,
      },
    ])
  })

  it('take everything else', () => {
    writeFileSync(file, 'from a file\n')
    const [first, second] = read({
      SLIPWAY_OIDC: 'keycloak, Other',
      SLIPWAY_OIDC_KEYCLOAK_LABEL: 'The office',
      SLIPWAY_OIDC_KEYCLOAK_SCOPE: 'openid email groups',
      SLIPWAY_OIDC_KEYCLOAK_GROUPS_CLAIM: 'roles',
      SLIPWAY_OIDC_KEYCLOAK_ADMIN_GROUP: 'CN=Operators, OU=IT',
      SLIPWAY_OIDC_KEYCLOAK_TRUST_EMAIL: 'on',
      SLIPWAY_OIDC_OTHER_ISSUER: 'http://127.0.0.1:9000',
      SLIPWAY_OIDC_OTHER_CLIENT_ID: 'x',
      SLIPWAY_OIDC_OTHER_CLIENT_SECRET: '',
      SLIPWAY_OIDC_OTHER_CLIENT_SECRET_FILE: file,
    })
    expect(first).toMatchObject({
      label: 'The office',
      scope: 'openid email groups',
      groupsClaim: 'roles',
      adminGroup: 'CN=Operators, OU=IT',
      trustsEmail: true,
    })
    expect(second).toMatchObject({ name: 'other', label: 'Other', clientSecret: 'from a file' })
  })
})

it.each([
  [{ SLIPWAY_OIDC: 'key cloak' }, 'SLIPWAY_OIDC: Enter different names'],
  [{ SLIPWAY_OIDC: 'keycloak,keycloak' }, 'SLIPWAY_OIDC: Enter different names'],
  [{ SLIPWAY_PUBLIC_URL: '' }, 'SLIPWAY_PUBLIC_URL: required with SLIPWAY_OIDC'],
  [{ SLIPWAY_OIDC_KEYCLOAK_ISSUER: '' }, 'SLIPWAY_OIDC_KEYCLOAK_ISSUER: Enter the URL'],
  [{ SLIPWAY_OIDC_KEYCLOAK_ISSUER: 'http://id.example.com' }, 'begins with https:'],
  [{ SLIPWAY_OIDC_KEYCLOAK_CLIENT_ID: undefined }, 'SLIPWAY_OIDC_KEYCLOAK_CLIENT_ID: Enter the client ID'],
  [
    { SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET: '' },
    'SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET: Enter the client secret',
  ],
  [{ SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET_FILE: '/etc/x' }, 'Set either this or'],
  [
    { SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET: '', SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET_FILE: '/not/there' },
    'SLIPWAY_OIDC_KEYCLOAK_CLIENT_SECRET_FILE: The file cannot be read',
  ],
  [{ SLIPWAY_OIDC_KEYCLOAK_SCOPE: 'email' }, 'SLIPWAY_OIDC_KEYCLOAK_SCOPE: Name the scope openid'],
  [{ SLIPWAY_OIDC_KEYCLOAK_TRUST_EMAIL: 'yes' }, 'SLIPWAY_OIDC_KEYCLOAK_TRUST_EMAIL: Enter on or off'],
  [{ SLIPWAY_OIDC_KEYCLOAK_ADMINGROUP: 'x' }, 'SLIPWAY_OIDC_KEYCLOAK_ADMINGROUP: Use one of ISSUER'],
  [{ SLIPWAY_OIDC_OTHER_ISSUER: 'x' }, 'SLIPWAY_OIDC_OTHER_ISSUER: SLIPWAY_OIDC does not name this provider'],
  [
    {
      SLIPWAY_OIDC: 'keycloak,other',
      SLIPWAY_OIDC_OTHER_ISSUER: keycloak.SLIPWAY_OIDC_KEYCLOAK_ISSUER,
      SLIPWAY_OIDC_OTHER_CLIENT_ID: 'x',
      SLIPWAY_OIDC_OTHER_CLIENT_SECRET: 'x',
    },
    'SLIPWAY_OIDC_OTHER_ISSUER: Another provider has the same issuer',
  ],
])('%j stops the start and names the setting', (more, message) => {
  expect(() => read(more)).toThrow(message)
})

it('sign-up by providers only needs a provider', () => {
  expect(() => readConfig({ SLIPWAY_SIGN_UP: 'oidc' })).toThrow('SLIPWAY_SIGN_UP: oidc requires a provider')
  expect(readConfig({ ...keycloak, SLIPWAY_SIGN_UP: 'oidc' }).signUp).toEqual({ policy: 'oidc', domains: [] })
})
