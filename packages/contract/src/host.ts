import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { addressPlaces } from './host.rules.ts'
import { Notice } from './notice.ts'
import type { ShareKind } from './share.rules.ts'
import { signUpPolicies } from './sign-up.rules.ts'

export const EngineKind = z.enum(['qemu', 'kubevirt', 'simulated'])
const AddressPlace = z.enum(addressPlaces).meta({ id: 'AddressPlace' })
export const SignUpPolicy = z.enum(signUpPolicies)

/** A provider that people can sign in with. */
export const OidcProvider = z.object({ name: z.string(), label: z.string() })

/** A template that comes with the server. */
export const BuiltInTemplate = z.object({ name: z.string(), cpu: z.int(), memory_mb: z.int() })

/** Null where the engine can, else a sentence for people that says what to do instead. */
const limit = z.string().nullable()

/** What this installation can do: shown in the console, so that nobody takes a simulation for the real thing. */
export const Host = z.object({
  product_name: z.string(),
  engine: EngineKind,
  /** `KVM`, `TCG` or null where the word has no meaning. */
  accelerator: z.string().nullable(),
  /** Why it is that accelerator, in a sentence. */
  accelerator_reason: z.string().nullable(),
  /** What guests can reach, in a sentence. */
  network: z.string(),
  /** What its engine cannot do. Calls that ask for it are refused with 422 and the sentence. */
  cannot: z.object({
    /** VM snapshots of the type `full`. */
    memory_snapshots: limit,
    /** Suspending VMs. */
    suspend: limit,
    /** Forking VMs, and creating them from VM snapshots. */
    copies: limit,
    /** Attaching a disk to a running VM, and detaching it. */
    hot_plug: limit,
    /** Disk snapshots of the type `incremental`. */
    incremental_snapshots: limit,
    /** The screens of VMs; their serial consoles are always there. */
    screens: limit,
    /** `npm run backup`. */
    backups: limit,
    /** VMs of a project that reach each other, and find each other by name. */
    networks: limit,
    /** Sharing ports of VMs. */
    ports: limit,
    /** Uploading files that become disks, and downloading disks as files. */
    disk_files: limit,
    /** Making data disks larger. */
    grow_disks: limit,
    /** Making root disks of VMs larger. */
    grow_root_disks: limit,
    /** Changing the SSH key of a VM. */
    change_keys: limit,
  }),
  /** Why ports of that kind cannot be shared here; null where they can. */
  sharing: z.object({ http: limit, tcp: limit } satisfies Record<ShareKind, unknown>),
  /** Where the addresses of VMs answer: on the machine that runs the server, or only inside the cluster. */
  addresses: AddressPlace,
  /** Where SSH finds VMs by their names; null when it is switched off. */
  ssh_gateway: z
    .object({
      /** Null: the name under which the console is reached. */
      host: z.string().nullable(),
      port: z.int(),
      /** It listens on the server's own machine only; from elsewhere nobody gets there. */
      local_only: z.boolean(),
      /** Of its host key, as `ssh-keygen -lf` prints it. */
      fingerprint: z.string(),
    })
    .nullable(),
  /**
   * Who may create an account: everybody, only who is invited to a project, nobody, who has an address at a domain, or only
   * who signs in with a provider.
   */
  sign_up: z.object({
    policy: SignUpPolicy,
    /** Empty unless the policy is `domains`, which lets in who is invited, too. */
    domains: z.array(z.string()),
  }),
  /** With whom people can sign in beside their passwords; empty: with nobody. */
  oidc_providers: z.array(OidcProvider),
  /** The origin at which passkeys work; null where no browser lets this server use them. */
  passkey_origin: z.string().nullable(),
  /** What comes with it: the public pages show the sizes that VMs of these really get. */
  built_in_templates: z.array(BuiltInTemplate),
  /**
   * How long VMs took to start here, from the accepted request until they were ready, as the median of at most 50; null
   * where too few did, and where nothing really starts.
   */
  start_time: z.object({ median_seconds: z.number(), starts: z.int() }).nullable(),
  /** For how many days deleted objects are kept in the bin; 0: they are deleted for good at once. */
  bin_days: z.int(),
  /** What the operator tells everybody now; null: nothing. */
  notice: Notice.nullable(),
  contacts: z.object({ support: z.string(), legal: z.string(), privacy: z.string() }),
})
export type Host = z.infer<typeof Host>

export const Liveness = z.object({ status: z.literal('ok') })

export const hostApi = {
  health: endpoint('host.health', {
    summary: 'Whether the server and its database answer',
    auth: 'public',
    status: 200,
    response: Liveness,
    errors: { 503: ['The database does not respond'] },
  }),
  metrics: endpoint('host.metrics', {
    summary: 'Figures of this installation and of every VM, in the text format of Prometheus',
    auth: 'operator',
    status: 200,
    answers: 'text',
  }),
  get: endpoint('host.get', {
    summary: 'Engine, accelerator and contacts of this installation',
    auth: 'public',
    status: 200,
    response: Host,
  }),
  openApi: endpoint('host.openApi', {
    summary: 'This API as an OpenAPI document',
    auth: 'public',
    status: 200,
    answers: 'document',
  }),
}
