//! Processor time of the process or of the calling thread, beside elapsed time.

use std::time::{Duration, Instant};

use cpu_time::{ProcessTime, ThreadTime};

/// Whose processor time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// All threads of the process: for a run that has the process to itself.
    Process,
    /// The calling thread: for one of several runs side by side, each on a thread of its own.
    Thread,
}

/// Adds up processor and elapsed time over the stretches between [`Stopwatch::start`] and [`Stopwatch::stop`].
#[derive(Clone, Debug)]
pub struct Stopwatch {
    processor: Processor,
    since: Option<(Instant, Duration)>,
    cpu: Duration,
    wall: Duration,
}

impl Stopwatch {
    /// A stopwatch at zero.
    pub fn new(processor: Processor) -> Self {
        Stopwatch { processor, since: None, cpu: Duration::ZERO, wall: Duration::ZERO }
    }

    /// Begins a stretch.
    pub fn start(&mut self) {
        self.since = Some((Instant::now(), self.processor_time()));
    }

    /// Ends the stretch; without one nothing happens.
    pub fn stop(&mut self) {
        if let Some((wall, cpu)) = self.since.take() {
            self.wall += wall.elapsed();
            self.cpu += self.processor_time().saturating_sub(cpu);
        }
    }

    /// Processor time of the finished stretches \[s\]; zero on systems that do not tell.
    pub fn cpu_seconds(&self) -> f64 {
        self.cpu.as_secs_f64()
    }

    /// Elapsed time of the finished stretches \[s\].
    pub fn wall_seconds(&self) -> f64 {
        self.wall.as_secs_f64()
    }

    fn processor_time(&self) -> Duration {
        match self.processor {
            Processor::Process => ProcessTime::try_now().map(|t| t.as_duration()),
            Processor::Thread => ThreadTime::try_now().map(|t| t.as_duration()),
        }
        .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_between_start_and_stop_counts_and_nothing_else() {
        let mut watch = Stopwatch::new(Processor::Thread);
        watch.stop();
        assert_eq!((watch.cpu_seconds(), watch.wall_seconds()), (0.0, 0.0));
        watch.start();
        let since = Instant::now();
        let mut x = 1.0f64;
        while since.elapsed() < Duration::from_millis(20) {
            x = std::hint::black_box(x * 1.000_000_1);
        }
        watch.stop();
        let (cpu, wall) = (watch.cpu_seconds(), watch.wall_seconds());
        assert!(wall >= 0.02 && cpu > 0.0 && cpu <= wall + 0.005, "{cpu} {wall}");
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(watch.wall_seconds(), wall);
    }
}
