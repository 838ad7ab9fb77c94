/**
 * Who may import whom: the table of ARCHITECTURE.md in a form that a machine reads. A file belongs to the first
 * layer whose path fits. `may` names the layers it may import from: `own x` is layer x of the same feature or engine,
 * `server *` is every layer whose name starts so. `npm` names packages; `*` is any, `node:` is all of Node.
 * `why` is for the person who crossed the fence.
 *
 * @typedef {{ name: string, path: RegExp, may: string[], npm: string[], why: string }} Layer
 */

/** @type {Layer[]} */
const contract = [
  {
    name: 'contract test',
    path: /^packages\/contract\/.*\.test\.ts$/,
    may: ['contract'],
    npm: ['*'],
    why: 'The contract stands alone, and so do its tests.',
  },
  {
    name: 'contract',
    path: /^packages\/contract\//,
    may: ['contract'],
    npm: ['zod', 'node:'],
    why: 'The contract is plain data and rules for both sides; what needs more belongs to the server or the console.',
  },
]

/** @type {Layer[]} */
const clients = [
  {
    name: 'client test',
    path: /^packages\/client\/.*\.test\.ts$/,
    may: ['contract', 'client'],
    npm: ['*'],
    why: 'Tests of the client see the client and the contract.',
  },
  {
    name: 'client',
    path: /^packages\/client\//,
    may: ['contract', 'client'],
    npm: [],
    why: 'The client runs in browsers and in Node, and knows nothing but the contract.',
  },
  {
    name: 'cli test',
    path: /^packages\/cli\/.*\.test(-kit)?\.ts$/,
    may: ['contract', 'client', 'cli', 'cli test', 'e2e'],
    npm: ['*'],
    why: 'Tests of the command line run it against the running server.',
  },
  {
    name: 'cli bin',
    path: /^packages\/cli\/bin\//,
    may: ['cli'],
    npm: ['node:'],
    why: 'What starts the command line runs on any Node.',
  },
  {
    name: 'cli',
    path: /^packages\/cli\//,
    may: ['contract', 'client', 'cli'],
    npm: ['node:', 'yaml'],
    why: 'The command line is a user of the API: it knows the contract and nothing of the server.',
  },
]

/** @type {Layer[]} */
const server = [
  {
    name: 'server test',
    path: /^packages\/server\/.*\.(test|suite|test-kit)\.ts$/,
    may: ['contract', 'server *'],
    npm: ['*'],
    why: 'Tests of the server see the server and the contract.',
  },
  {
    name: 'server main',
    path: /^packages\/server\/src\/(main|orphans|images|images-to-cluster|qemu|kubevirt|activity|backup|restore|open-engine|database|simulated-host|recorder|prove-accelerator|measure-networks|doctor-cluster|doctor-backups)\.ts$/,
    may: ['contract', 'server *'],
    npm: ['*'],
    why: 'A program puts together parts of the server.',
  },
  {
    name: 'server seed',
    path: /^packages\/server\/src\/seed\.ts$/,
    may: ['contract', 'server writes', 'server db', 'server lib'],
    npm: ['fastify'],
    why: 'The seed talks to the server as a client would.',
  },
  {
    name: 'server app',
    path: /^packages\/server\/src\/app(\.ts$|\/)/,
    may: [
      'contract',
      'server app',
      'server config',
      'server routes',
      'server service',
      'server provider',
      'server console',
      'server metrics',
      'server repo',
      'server writes',
      'server reconciler',
      'server snapshot loop',
      'server feature',
      'server bus',
      'server engine port',
      'server http',
      'server mail',
      'server db',
      'server lib',
    ],
    npm: ['fastify', '@fastify/', 'kysely', 'pino', 'zod', 'node:'],
    why: 'app.ts and app/ put features together over the engine they are given; only main.ts chooses one.',
  },
  {
    name: 'server config',
    path: /^packages\/server\/src\/config(\.oidc|\.backup|\.share-domain)?\.ts$/,
    may: ['contract', 'server config', 'server lib'],
    npm: ['zod', 'node:'],
    why: 'config.ts turns the environment into one checked object and knows nothing else.',
  },
  {
    name: 'server engine port',
    path: /^packages\/server\/src\/engine\/(engine|limits|seed|seed-script)\.ts$/,
    may: ['server engine port'],
    npm: ['node:'],
    why: 'The port is the words that engines and reconcilers share; it depends on nothing but words of Node.',
  },
  {
    name: 'server kube',
    path: /^packages\/server\/src\/engine\/kubevirt\/kube\//,
    may: ['server kube', 'server lib'],
    npm: ['ws', 'yaml', 'zod', 'node:'],
    why: 'kube/ knows Kubernetes and no word of Slipway; what a machine is made of there is a matter of the engine.',
  },
  {
    name: 'server engine console',
    path: /^packages\/server\/src\/engine\/console\//,
    may: ['server engine console', 'server engine port', 'server lib'],
    npm: ['ws', 'zod', 'node:'],
    why: 'What machines print is kept the same way for every engine; who makes them print is its own matter.',
  },
  {
    name: 'server engine',
    path: /^packages\/server\/src\/engine\/[^/]+\//,
    may: [
      'contract',
      'own server engine',
      'own server kube',
      'server engine console',
      'server engine port',
      'server image',
      'server lib',
    ],
    npm: ['*'],
    why: 'An engine never knows a feature, the database, HTTP or another engine.',
  },
  {
    name: 'server image',
    path: /^packages\/server\/src\/image\//,
    may: ['contract', 'server image', 'server engine port', 'server lib'],
    npm: ['*'],
    why: 'Images are files that engines boot; they know no feature, no database and no HTTP.',
  },
  {
    name: 'server http',
    path: /^packages\/server\/src\/http\//,
    may: ['contract', 'server http', 'server db', 'server lib'],
    npm: ['*'],
    why: 'http/ carries requests for every feature and knows none; hand the feature in as an argument.',
  },
  {
    name: 'server db',
    path: /^packages\/server\/src\/db\//,
    may: ['server db', 'server lib'],
    npm: ['*'],
    why: 'db/ opens and migrates the database and knows no feature.',
  },
  {
    name: 'server mail',
    path: /^packages\/server\/src\/mail\//,
    may: ['server mail', 'server lib'],
    npm: ['*'],
    why: 'mail/ sends what it is given and knows no feature.',
  },
  {
    name: 'server pauses',
    path: /^packages\/server\/src\/lib\/retry-pauses\.ts$/,
    may: [],
    npm: [],
    why: 'When something is tried again is pure arithmetic, so that plans may ask it.',
  },
  {
    name: 'server lib',
    path: /^packages\/server\/src\/lib\//,
    may: ['server lib'],
    npm: ['*'],
    why: 'lib/ has no domain words in it.',
  },
  {
    name: 'server entry',
    path: /^packages\/server\/src\/activity\/entry\.ts$/,
    may: ['contract'],
    npm: [],
    why: 'An entry of the activity log is plain data that every feature can make.',
  },
  {
    name: 'server record',
    path: /^packages\/server\/src\/activity\/record\.ts$/,
    may: ['server entry', 'server writes', 'server db', 'server lib'],
    npm: ['kysely'],
    why: 'Recording is SQL for the transactions of repos; what else it has to store is a function of its owner.',
  },
  {
    name: 'server activity',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.activity\.ts$/,
    may: ['contract', 'own server repo', 'own server plan', 'own server feature', 'server entry'],
    npm: [],
    why: 'What the log says of a feature is made of what others know; it looks nothing up.',
  },
  {
    name: 'server routes',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.routes\.ts$/,
    may: [
      'contract',
      'server service',
      'own server console',
      'own server metrics',
      'own server feature',
      'server bus',
      'server http',
      'server lib',
    ],
    npm: ['fastify', '@fastify/', 'node:'],
    why: 'A route turns a request into a call of a service.',
  },
  {
    name: 'server console',
    path: /^packages\/server\/src\/console\/console\.(service|session)\.ts$/,
    may: ['contract', 'own server console', 'server engine port', 'server lib'],
    npm: ['node:'],
    why: 'A console is a line between people and a guest; it stores nothing and knows no HTTP.',
  },
  {
    name: 'server metrics',
    path: /^packages\/server\/src\/metrics\/(metrics\.service|(health|mail|webhook)\.figures)\.ts$/,
    may: ['contract', 'own server repo', 'own server metrics', 'server lib'],
    npm: ['prom-client', 'node:'],
    why: 'The figures come from whoever has them; prom-client writes them down.',
  },
  {
    name: 'server provider',
    path: /^packages\/server\/src\/oidc\/oidc\.provider\.ts$/,
    may: ['own server feature', 'server lib'],
    npm: ['jose', 'openid-client'],
    why: 'It speaks with a sign-in provider and knows no account; what follows from that is for the service.',
  },
  {
    name: 'server service',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.service\.ts$/,
    may: [
      'contract',
      'own server repo',
      'own server plan',
      'own server provider',
      'own server feature',
      'server service',
      'server bus',
      'server entry',
      'server activity',
      'server db',
      'server mail',
      'server lib',
    ],
    npm: ['node:crypto'],
    why: 'A service checks, stores a wish and answers; engines are for reconcilers, HTTP is for routes, SQL for repos.',
  },
  {
    name: 'server repo',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.repo\.ts$/,
    may: [
      'contract',
      'own server plan',
      'own server feature',
      'server writes',
      'server conditions',
      'server entry',
      'server activity',
      'server record',
      'server db',
      'server lib',
    ],
    npm: ['kysely', 'zod'],
    why: 'A repo is SQL in and domain objects out, and decides nothing.',
  },
  {
    name: 'server writes',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.writes\.ts$/,
    may: [
      'contract',
      'own server plan',
      'own server feature',
      'own server activity',
      'server conditions',
      'server entry',
      'server record',
      'server db',
      'server lib',
    ],
    npm: ['kysely'],
    why: 'Writes are what a feature lets others do to its tables in their transactions; they know its own words only.',
  },
  {
    name: 'server conditions',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.conditions\.ts$/,
    may: ['contract', 'server conditions', 'server db'],
    npm: ['kysely'],
    why: 'Conditions say once, in SQL, what a row of a feature counts as, for the queries of others too; they know tables and words of the contract.',
  },
  {
    name: 'server plan',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.(plan|facts)\.ts$/,
    may: ['contract', 'own server plan', 'server pauses'],
    npm: [],
    why: 'A plan is pure: what it needs to know, the time too, comes as an argument.',
  },
  {
    name: 'server snapshot loop',
    path: /^packages\/server\/src\/snapshot\/snapshot\.(reconcile|checks)\.ts$/,
    may: [
      'own server plan',
      'server snapshot loop',
      'server entry',
      'server activity',
      'server engine port',
      'server lib',
    ],
    npm: [],
    why: 'What snapshots of VMs and of disks have in common knows neither.',
  },
  {
    name: 'server reconciler piece',
    path: /^packages\/server\/src\/vm\/vm\.(admission|copy|keys|parts|restore|root|sight|size|store|suspend|words)\.ts$/,
    may: [
      'contract',
      'own server reconciler piece',
      'own server repo',
      'own server plan',
      'own server feature',
      'server entry',
      'server activity',
      'server engine port',
      'server lib',
    ],
    npm: [],
    why: 'A part of the VM reconciler sees what the reconciler sees, and not the reconciler.',
  },
  {
    name: 'server reconciler',
    path: /^packages\/server\/src\/[^/]+\/[^/]+\.reconcile\.ts$/,
    may: [
      'contract',
      'own server reconciler piece',
      'own server repo',
      'own server plan',
      'own server feature',
      'server bus',
      'server entry',
      'server activity',
      'server engine port',
      'server snapshot loop',
      'server lib',
    ],
    npm: [],
    why: 'A reconciler looks, plans, does one step on the engine port and stores what it saw.',
  },
  {
    name: 'server backup',
    path: /^packages\/server\/src\/backup\//,
    may: ['server backup', 'server engine port', 'server db', 'server lib'],
    npm: ['zod', 'node:'],
    why: 'Backups take all tables and all files as they are; they know no feature.',
  },
  {
    name: 'server bus',
    path: /^packages\/server\/src\/event\/event\.bus\.ts$/,
    may: ['contract', 'own server feature', 'server lib'],
    npm: ['zod'],
    why: 'The bus hands on what it is given, by this server or another.',
  },
  {
    name: 'server gateway wire',
    path: /^packages\/server\/src\/gateway\/wire\//,
    may: ['own server gateway wire', 'own server feature', 'server lib'],
    npm: ['ssh2', 'ssh2/lib/', 'rate-limiter-flexible', 'node:'],
    why: 'The wire speaks SSH in a thread of its own; whom it lets in it asks by messages.',
  },
  {
    name: 'server feature',
    path: /^packages\/server\/src\/[^/]+\//,
    may: ['contract', 'own server plan', 'own server feature', 'server entry', 'server lib'],
    npm: ['zod', 'rate-limiter-flexible', 'otpauth', '@simplewebauthn/server', 'yaml', 'node:'],
    why: 'A piece beside a service serves that service only.',
  },
]

/** @type {Layer[]} */
const web = [
  {
    name: 'web screens',
    path: /^packages\/web\/vitest\.screens\.config\.ts$/,
    may: ['server test', 'e2e'],
    npm: ['*'],
    why: 'Tests of screens have the server in their process; nothing else of the console has.',
  },
  {
    name: 'web test',
    path: /^packages\/web\/.*\.test(-kit)?\.tsx?$/,
    may: ['contract', 'client', 'e2e', 'web *'],
    npm: ['*'],
    why: 'Tests of the console see the console and the contract.',
  },
  {
    name: 'web build',
    path: /^packages\/web\/(vite\.config\.ts$|build\/)/,
    may: ['web build'],
    npm: ['*'],
    why: 'The build knows files, not code.',
  },
  {
    name: 'web page script',
    path: /^packages\/web\/public\//,
    may: [],
    npm: [],
    why: 'What stands in public/ is served as it is, before any code is loaded.',
  },
  {
    name: 'web routes',
    path: /^packages\/web\/src\/(main|App|routes|frame\/HomePage)\.tsx$/,
    may: ['contract', 'web *'],
    npm: ['*'],
    why: 'These choose among pages; nothing else does.',
  },
  {
    name: 'web paths',
    path: /^packages\/web\/src\/paths\.ts$/,
    may: [],
    npm: [],
    why: 'paths.ts is the list of URLs and nothing else.',
  },
  {
    name: 'web lib',
    path: /^packages\/web\/src\/[^/]+\.ts$/,
    may: ['web lib'],
    npm: [],
    why: 'What stands at the root of the console is plain functions that know nothing of it.',
  },
  {
    name: 'web style',
    path: /^packages\/web\/src\/styles\//,
    may: ['web style'],
    npm: ['*'],
    why: 'Styles know no code.',
  },
  {
    name: 'web ui',
    path: /^packages\/web\/src\/ui\//,
    may: ['web ui', 'web lib'],
    npm: ['*'],
    why: 'ui/ knows no route, no API and no resource; give it what it shows as a prop.',
  },
  {
    name: 'web api',
    path: /^packages\/web\/src\/api\//,
    may: ['contract', 'client', 'web api', 'web lib'],
    npm: ['*'],
    why: 'api/ speaks to the server; what is shown with it is a matter of features.',
  },
  {
    name: 'web gallery',
    path: /^packages\/web\/src\/gallery\//,
    may: ['contract', 'web gallery', 'web ui', 'web shell', 'web lib', 'web piece'],
    npm: ['*'],
    why: 'The gallery shows pieces with made-up data; it never calls the server.',
  },
  {
    name: 'web frame',
    path: /^packages\/web\/src\/frame\//,
    may: ['contract', 'web frame', 'web shell', 'web ui', 'web api', 'web paths', 'web lib', 'web piece'],
    npm: ['*'],
    why: 'The frame is around every page; of features it uses pieces, never pages.',
  },
  {
    name: 'web shell',
    path: /^packages\/web\/src\/shell\//,
    may: ['contract', 'web shell', 'web ui', 'web api', 'web paths', 'web lib'],
    npm: ['*'],
    why: 'The shell is what the pages of all features are made of, so it knows none of them.',
  },
  {
    name: 'web page',
    path: /^packages\/web\/src\/features\/[^/]+\/\w+Page\.tsx$/,
    may: ['contract', 'own web page', 'web ui', 'web api', 'web shell', 'web paths', 'web lib', 'web piece'],
    npm: ['*'],
    why: 'Pages are for routes.tsx alone; move what two of them need to a piece beside them.',
  },
  {
    name: 'web piece',
    path: /^packages\/web\/src\/features\/[^/]+\//,
    may: ['contract', 'web ui', 'web api', 'web shell', 'web paths', 'web lib', 'web piece'],
    npm: ['*'],
    why: 'Pages are for routes.tsx alone; move what two of them need to a piece beside them.',
  },
]

/** @type {Layer[]} */
const around = [
  {
    name: 'time of processors',
    path: /^scripts\/setup\/processor\.(mjs|d\.mts)$/,
    may: [],
    npm: ['node:'],
    why: 'Whatever runs tests measures with it.',
  },
  {
    name: 'e2e',
    path: /^e2e\//,
    may: ['contract', 'e2e', 'time of processors'],
    npm: ['*'],
    why: 'End-to-end tests see what a user sees: the running server and its contract.',
  },
  {
    name: 'bench',
    path: /^bench\//,
    may: ['contract', 'bench', 'e2e'],
    npm: ['*'],
    why: 'Benchmarks measure the running server from outside.',
  },
  {
    name: 'campaign',
    path: /^campaign\//,
    may: ['contract', 'campaign', 'e2e'],
    npm: ['fast-check', 'yaml', 'zod', 'vitest', 'ws', 'node:'],
    why: 'Campaigns attack the running server from outside.',
  },
  {
    name: 'scripts that read code',
    path: /^(scripts\/((catalogue|fences|words)\/|(catalogue|fences|checks\/cost-of-test)\.mjs$|.*\.test\.mjs$)|vitest\.config\.ts$)/,
    may: ['scripts', 'scripts that read code', 'time of processors'],
    npm: ['vite', 'vitest', 'node:'],
    why: 'These run as programs of their own, once everything is installed.',
  },
  {
    name: 'scripts',
    path: /^scripts\//,
    may: ['scripts', 'time of processors'],
    npm: ['node:'],
    why: 'Scripts run before anything is installed.',
  },
]

export const layers = [...contract, ...clients, ...server, ...web, ...around]

/** Files that may read the environment: the settings, what hands it on to other programs, and what is not the server. */
export const mayReadEnvironment =
  /^(packages\/server\/src\/(config|lib\/command)\.ts|packages\/cli\/(bin\/slipway\.mjs|src\/settings\.ts)|scripts\/.*|e2e\/.*|bench\/.*|campaign\/.*|.*\.test(-kit)?\.ts|.*\.config\.ts)$/

/**
 * The folder of the server whose files alone may write a table: the one named as the table is (`vm_snapshot`:
 * `vm-snapshot`), but for these.
 */
const ownersByAnotherName = {
  bin_member: 'project-member',
  template_bin: 'template',
  template_start_script: 'template',
  session: 'account',
  mail_token: 'account',
  identity: 'oidc',
  oidc_visit: 'oidc',
  oidc_session: 'oidc',
  oidc_logout: 'oidc',
  pending_sign_in: 'sign-in',
  recovery_code: 'totp',
  passkey_challenge: 'passkey',
  vm_group_event: 'vm-group',
  vm_start_script: 'start-script',
  vm_group_start_script: 'start-script',
  batch_item: 'batch',
  usage_sample: 'usage',
  share_code: 'share',
  project_invitation: 'project-member',
  seen_time: 'db',
  lease: 'db',
  revision: 'db',
  shared_file: 'db',
  idempotency_key: 'db',
}

/** @param {string} table @returns {string} a folder of packages/server/src */
export const ownerOf = (table) => ownersByAnotherName[table] ?? table.replaceAll('_', '-')

/** Files that may write every table: migrations change what is stored, a copy has all of it, tests set a scene. */
export const mayWriteEveryTable =
  /^packages\/server\/src\/(db\/migrations\/.*|db\/tables\.ts|.*\.(test|suite|test-kit)\.ts)$/

/** Names that say nothing about what is inside. */
export const emptyNames = /^(utils?|helpers?|common|shared|types|misc)$/
