/** Moves what the write-ahead log has into the database file, as far as nobody reads what is older, and ends. */
import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'

const sqlite = new DatabaseSync(String(workerData))
sqlite.exec('pragma synchronous=full; pragma wal_checkpoint(passive)')
sqlite.close()
