fn main() {
    println!("{}", greeting("Rust"));
}

fn greeting(name: &str) -> String {
    format!("Hello from {name}")
}

#[cfg(test)]
mod tests {
    use super::greeting;

    #[test]
    fn greets_by_name() {
        assert_eq!(greeting("Rust"), "Hello from Rust");
    }
}
