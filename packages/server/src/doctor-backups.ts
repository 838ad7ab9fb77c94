/** What `npm run doctor` says of backups outside the host: a finding per line, as JSON. It changes nothing anywhere. */
import { findingsOf, noneConfigured } from './backup/doctor.ts'
import { makeOutcomes } from './backup/outcomes.ts'
import { makeRepository } from './backup/repository.ts'
import { readConfig } from './config.ts'
import { type Finding, note } from './lib/finding.ts'

/** Somebody waits for the doctor. */
const limits = { answerMs: 20_000, silentMs: 20_000, longestMs: 20_000 }

async function examine(): Promise<Finding[]> {
  const config = configIfValid()
  if (config === null) return [note('backups', 'asked once the settings are valid')]
  const { dataDir, backup } = config
  if (backup === null) return [noneConfigured]
  const { schedule, keep: _, ...place } = backup
  const trouble = await makeRepository(place, null, limits)
    .reach(new AbortController().signal)
    .then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  const outcomes = await makeOutcomes(dataDir).stored()
  return findingsOf({ repository: place.repository, schedule, outcomes, trouble, now: Date.now() })
}

/** What is wrong with the settings is said of each of them. */
function configIfValid() {
  try {
    return readConfig()
  } catch {
    return null
  }
}

for (const finding of await examine()) console.log(JSON.stringify(finding))
